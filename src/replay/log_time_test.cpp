#include "replay/log_time.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>

namespace stint::inline v0::replay {
namespace {

using namespace std::chrono_literals;
using std::chrono::seconds;

// Seconds since the epoch by `date -u -d … +%s` of GNU coreutils.
Instant at(std::int64_t epoch_seconds, std::int64_t us = 0) {
    return Instant{seconds{epoch_seconds} + Duration{us}};
}

TEST(ClfTime, ReadsTheExampleOfApachesManual) {
    EXPECT_EQ(parse_clf_time("10/Oct/2000:13:55:36 -0700"), at(971'211'336));
    EXPECT_EQ(parse_clf_time("10/Oct/2000:20:55:36 +0000"), at(971'211'336));
}

TEST(ClfTime, AppliesZonesOfHalfHoursAndAcrossMidnight) {
    EXPECT_EQ(parse_clf_time("01/Jan/1970:05:30:00 +0530"), at(0));
    EXPECT_EQ(parse_clf_time("31/Dec/1969:14:30:00 -0930"), at(0));
    EXPECT_EQ(parse_clf_time("01/Jan/1970:00:00:00 +1400"), at(-14 * 3600));
}

TEST(ClfTime, KnowsLeapDaysAndNoOthers) {
    EXPECT_EQ(parse_clf_time("29/Feb/2000:00:00:00 +0000"), at(951'782'400));
    EXPECT_EQ(parse_clf_time("29/Feb/2024:12:00:00 +0000"), at(1'709'208'000));
    EXPECT_EQ(parse_clf_time("29/Feb/1900:00:00:00 +0000"), std::nullopt);
    EXPECT_EQ(parse_clf_time("29/Feb/2023:00:00:00 +0000"), std::nullopt);
    EXPECT_EQ(parse_clf_time("31/Apr/2023:00:00:00 +0000"), std::nullopt);
    EXPECT_EQ(parse_clf_time("00/Apr/2023:00:00:00 +0000"), std::nullopt);
}

TEST(ClfTime, TakesALeapSecondAsTheNextMinute) {
    EXPECT_EQ(parse_clf_time("31/Dec/2016:23:59:60 +0000"), at(1'483'228'800));
    EXPECT_EQ(parse_clf_time("31/Dec/2016:23:59:61 +0000"), std::nullopt);
}

TEST(ClfTime, ReadsAFractionToTheMicrosecond) {
    EXPECT_EQ(parse_clf_time("10/Oct/2000:13:55:36.5 -0700"), at(971'211'336, 500'000));
    EXPECT_EQ(parse_clf_time("10/Oct/2000:13:55:36.123456789 -0700"), at(971'211'336, 123'456));
    EXPECT_EQ(parse_clf_time("10/Oct/2000:13:55:36. -0700"), std::nullopt);
}

TEST(ClfTime, RefusesEveryShorterAndLongerText) {
    const std::string_view whole = "10/Oct/2000:13:55:36 -0700";
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_EQ(parse_clf_time(whole.substr(0, size)), std::nullopt) << size;
    }
    for (const char* text : {"10/Oct/2000:13:55:36 -07000", " 10/Oct/2000:13:55:36 -0700",
                             "10/Oct/2000:13:55:36 -0700 ", "1/Oct/2000:13:55:36 -0700", "10/Okt/2000:13:55:36 -0700",
                             "10-Oct-2000:13:55:36 -0700", "10/Oct/2000:24:00:00 -0700", "10/Oct/2000:13:60:36 -0700",
                             "10/Oct/2000:13:55:36 -07:00", "10/Oct/2000:13:55:36 0700", "10/Oct/2000:13:55:36 Z",
                             "10/Oct/2000:13:55:36 +2400", "10/Oct/2000:13:55:36 +0060", "10/Oct/0000:13:55:36 +0000",
                             "1\xFF/Oct/2000:13:55:36 -0700", "-1/Oct/2000:13:55:36 -0700"}) {
        EXPECT_EQ(parse_clf_time(text), std::nullopt) << text;
    }
}

TEST(ClfTime, ReachesTheFirstAndTheLastYear) {
    EXPECT_EQ(parse_clf_time("01/Jan/0001:00:00:00 +0000"), at(-62'135'596'800));
    EXPECT_EQ(parse_clf_time("31/Dec/9999:23:59:59 +0000"), at(253'402'300'799));
}

TEST(IsoTime, ReadsTheFormsThatLoggersWrite) {
    EXPECT_EQ(parse_iso_time("2022-03-10T01:23:45Z"), at(1'646'875'425));
    EXPECT_EQ(parse_iso_time("2022-03-10T02:23:45+01:00"), at(1'646'875'425));
    EXPECT_EQ(parse_iso_time("2022-03-09 17:23:45.250 -0800"), at(1'646'875'425, 250'000));
    EXPECT_EQ(parse_iso_time("2022-03-10T03:23:45.000001999+02"), at(1'646'875'425, 1));
}

TEST(IsoTime, RefusesATimeWithoutZone) {
    EXPECT_EQ(parse_iso_time("2022-03-10T01:23:45"), std::nullopt);
    EXPECT_EQ(parse_iso_time("2022-03-10"), std::nullopt);
    EXPECT_EQ(parse_iso_time("2022-13-10T01:23:45Z"), std::nullopt);
    EXPECT_EQ(parse_iso_time("2022-02-30T01:23:45Z"), std::nullopt);
}

TEST(TimeFromNumber, TellsTheUnitByTheSize) {
    EXPECT_EQ(time_from_number(1'646'875'425), at(1'646'875'425));
    EXPECT_EQ(time_from_number(1'646'875'425.25), at(1'646'875'425, 250'000));
    EXPECT_EQ(time_from_number(1'646'875'425'250.0), at(1'646'875'425, 250'000));
    EXPECT_EQ(time_from_number(1'646'875'425'250'001.0), at(1'646'875'425, 250'001));
    EXPECT_EQ(time_from_number(1.646875425250e18), at(1'646'875'425, 250'000));
    EXPECT_EQ(time_from_number(0), at(0));
}

TEST(TimeFromNumber, RefusesWhatIsNoTime) {
    EXPECT_EQ(time_from_number(-1), std::nullopt);
    EXPECT_EQ(time_from_number(std::nan("")), std::nullopt);
    EXPECT_EQ(time_from_number(std::numeric_limits<double>::infinity()), std::nullopt);
    EXPECT_TRUE(time_from_number(1e300));
}

TEST(AnyTime, ReadsEachForm) {
    EXPECT_EQ(parse_any_time("10/Oct/2000:13:55:36 -0700"), at(971'211'336));
    EXPECT_EQ(parse_any_time("2022-03-10T01:23:45Z"), at(1'646'875'425));
    EXPECT_EQ(parse_any_time("1646875425.250"), at(1'646'875'425, 250'000));
    for (const char* text : {"", "-", "now", "1.2.3", ".", "1e9", "-5", "0x10"}) {
        EXPECT_EQ(parse_any_time(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace stint::inline v0::replay
