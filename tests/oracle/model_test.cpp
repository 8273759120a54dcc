// The reference model against the conformance vectors, which were computed by
// somebody else's exact fractions, and its calendar against known dates.
#include "oracle/model.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "oracle/calendar.hpp"
#include "selftest/vectors.hpp"

namespace stint::inline v0::oracle {
namespace {

void expect_vectors_hold(const std::string& file) {
    std::ifstream in{std::string{STINT_SOURCE_DIR} + "/tests/conformance/" + file};
    std::ostringstream text;
    text << in.rdbuf();
    const auto vectors = selftest::parse_vectors(text.str(), file);
    ASSERT_TRUE(vectors) << vectors.error();
    ASSERT_FALSE(vectors->empty());
    for (const selftest::Vector& vector : *vectors) {
        Model model;
        for (std::size_t i = 0; i < vector.steps.size(); ++i) {
            const selftest::Step& step = vector.steps[i];
            const Question question{vector.id, step.key, {vector.limit}, std::nullopt, step.cost};
            const Verdict verdict = model.check({question}, step.time.time_since_epoch().count());
            const Reply expected{step.allowed, step.remaining, step.retry_after.count(), step.reset_after.count()};
            const Reply& got = verdict.rules[0].limits[0];
            ASSERT_TRUE(got == expected) << vector.id << " step " << i + 1 << ": got " << got.allowed << ' '
                                         << got.remaining << ' ' << got.retry_after_us << ' ' << got.reset_after_us
                                         << ", expected " << expected.allowed << ' ' << expected.remaining << ' '
                                         << expected.retry_after_us << ' ' << expected.reset_after_us;
        }
    }
}

TEST(OracleModel, HoldsForTheHandMadeVectors) {
    expect_vectors_hold("hand.jsonl");
}
TEST(OracleModel, HoldsForTheRandomVectors) {
    expect_vectors_hold("random.jsonl");
}

std::int64_t hours_of_day_at(const std::string& zone, std::int64_t second) {
    const CalendarWindow window = calendar_window(CalendarUnit::day, zone, second * 1'000'000);
    return (window.end_us - window.start_us) / 3'600'000'000;
}

TEST(OracleCalendar, KnowsDaysOfOtherLengthsThan24Hours) {
    EXPECT_EQ(hours_of_day_at("Europe/Warsaw", 1'774'774'800), 23);      // 2026-03-29
    EXPECT_EQ(hours_of_day_at("Europe/Warsaw", 1'792'918'800), 25);      // 2026-10-25
    EXPECT_EQ(hours_of_day_at("America/Sao_Paulo", 1'541'336'400), 23);  // 2018-11-04 begins at 01:00
    EXPECT_EQ(hours_of_day_at("Pacific/Apia", 1'325'196'000), 24);       // 2011-12-29, and the 30th never was
    EXPECT_EQ(hours_of_day_at("Pacific/Apia", 1'325'239'200), 24);       // 2011-12-31, which follows it
}

TEST(OracleCalendar, EndsADayWithTheFirstMomentOfTheNextThoughTheClockFallsBackOverMidnight) {
    // St. John's set its clock back at 00:01 on 2010-11-07, and it showed 2010-11-06 23:01 once more.
    const std::int64_t midnight = 1'289'097'000;  // 00:00 for the first time (UTC-2:30)
    const CalendarWindow window =
        calendar_window(CalendarUnit::day, "America/St_Johns", (midnight + 1'800) * 1'000'000);
    EXPECT_EQ(window.start_us, midnight * 1'000'000);
}

}  // namespace
}  // namespace stint::inline v0::oracle
