#include "core/calendar.hpp"

#include <date/date.h>
#include <gtest/gtest.h>

namespace stint::inline v0::core {
namespace {

using namespace date::literals;

constexpr std::int64_t kHourUs = 3'600'000'000;

std::int64_t utc(date::year_month_day day, int hour, int minute = 0) {
    const auto t = date::sys_days{day} + std::chrono::hours{hour} + std::chrono::minutes{minute};
    return std::chrono::duration_cast<std::chrono::microseconds>(t.time_since_epoch()).count();
}

Window window(const char* zone, CalendarUnit unit, std::int64_t t) {
    return Calendar::find(zone, unit).value()->window_at(t);
}

TEST(Calendar, WeeksBeginOnMonday) {
    const Window week = window("UTC", CalendarUnit::week, utc(2026_y / 11 / 29, 23));  // a Sunday
    EXPECT_EQ(week.start, utc(2026_y / 11 / 23, 0));
    EXPECT_EQ(week.end, utc(2026_y / 11 / 30, 0));
}

TEST(Calendar, ADayAtAChangeOfClocksHas23Or25Hours) {
    const Window spring = window("Europe/Warsaw", CalendarUnit::day, utc(2026_y / 3 / 29, 12));
    EXPECT_EQ(spring.end - spring.start, 23 * kHourUs);
    const Window autumn = window("Europe/Warsaw", CalendarUnit::day, utc(2026_y / 10 / 25, 12));
    EXPECT_EQ(autumn.end - autumn.start, 25 * kHourUs);
}

TEST(Calendar, ADayWhoseMidnightDoesNotExistBeginsAtItsFirstInstant) {
    // Sao Paulo went from 00:00 to 01:00 on 4 November 2018, at 03:00 UTC.
    const Window day = window("America/Sao_Paulo", CalendarUnit::day, utc(2018_y / 11 / 4, 12));
    EXPECT_EQ(day.start, utc(2018_y / 11 / 4, 3));
    EXPECT_EQ(day.end, utc(2018_y / 11 / 5, 2));
}

TEST(Calendar, ADayThatWasSkippedHasNoWindow) {
    // Apia went from the end of 29 December 2011 to the begin of the 31st, at 10:00 UTC.
    const Window before = window("Pacific/Apia", CalendarUnit::day, utc(2011_y / 12 / 30, 9, 59));
    const Window after = window("Pacific/Apia", CalendarUnit::day, utc(2011_y / 12 / 30, 10));
    EXPECT_EQ(before.end, utc(2011_y / 12 / 30, 10));
    EXPECT_EQ(after.start, before.end);
    EXPECT_EQ(after.end - after.start, 24 * kHourUs);
}

TEST(Calendar, AnEveningThatIsLivedTwiceBelongsToTheDayThatHadBegun) {
    // St. John's went from 00:01 on 30 October 2005 back to 23:01 on the 29th, at 02:31 UTC.
    const Window day = window("America/St_Johns", CalendarUnit::day, utc(2005_y / 10 / 30, 3));
    EXPECT_EQ(day.start, utc(2005_y / 10 / 30, 2, 30));
    EXPECT_EQ(day.end, utc(2005_y / 10 / 31, 3, 30));
}

TEST(Calendar, SummerTimeGoesOnAfterTheListedYears) {
    // The last Sunday of March 2051 is the 26th.
    const Window day = window("Europe/Warsaw", CalendarUnit::day, utc(2051_y / 3 / 26, 12));
    EXPECT_EQ(day.end - day.start, 23 * kHourUs);
    const Window year = window("Europe/Warsaw", CalendarUnit::year, utc(2052_y / 2 / 29, 12));
    EXPECT_EQ(year.start, utc(2051_y / 12 / 31, 23));
    EXPECT_EQ(year.end, utc(2052_y / 12 / 31, 23));
}

TEST(Calendar, ZonesThatGaveUpSummerTimeDoNotGetItBack) {
    // Sao Paulo has had no summer time since 2019; 2039 would be like 2011, which had it.
    const Window year = window("America/Sao_Paulo", CalendarUnit::year, utc(2039_y / 6 / 1, 12));
    EXPECT_EQ(year.start, utc(2039_y / 1 / 1, 3));
    EXPECT_EQ(year.end, utc(2040_y / 1 / 1, 3));
}

TEST(Calendar, StartBeforeIsExactWhenItMatters) {
    const Calendar* month = Calendar::find("UTC", CalendarUnit::month).value();
    const Window may = month->window_at(utc(2026_y / 5 / 10, 0));
    EXPECT_EQ(month->start_before(may.end, utc(2026_y / 4 / 30, 0)), may.start);
    EXPECT_EQ(month->start_before(may.end, utc(2026_y / 5 / 30, 0)), utc(2026_y / 5 / 30, 0));
}

}  // namespace
}  // namespace stint::inline v0::core
