#include "base/duration_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stint/limit.hpp"

namespace stint::inline v0 {
namespace {

using namespace std::chrono_literals;

TEST(DurationText, ReadsEveryUnit) {
    EXPECT_EQ(parse_duration("250ms"), Duration{250ms});
    EXPECT_EQ(parse_duration("60s"), Duration{60s});
    EXPECT_EQ(parse_duration("1m"), Duration{1min});
    EXPECT_EQ(parse_duration("1h"), Duration{1h});
    EXPECT_EQ(parse_duration("1d"), Duration{24h});
    EXPECT_EQ(parse_duration("1w"), Duration{7 * 24h});
    EXPECT_EQ(parse_duration("0s"), Duration{0});
}

// behaviours B19
TEST(DurationText, SingularAndPluralWordsAreTheSame) {
    EXPECT_EQ(parse_duration("15 minute"), Duration{15min});
    EXPECT_EQ(parse_duration("15 minutes"), Duration{15min});
    EXPECT_EQ(parse_duration("15m"), Duration{15min});
    EXPECT_EQ(parse_duration("2 weeks"), Duration{14 * 24h});
    EXPECT_EQ(parse_duration("1 second"), Duration{1s});
    EXPECT_EQ(parse_duration("3 milliseconds"), Duration{3ms});
    EXPECT_EQ(parse_duration("1 hour"), Duration{1h});
    EXPECT_EQ(parse_duration("1 day"), Duration{24h});
}

TEST(DurationText, RefusesEverythingElse) {
    for (const char* text :
         {"",    " ",  "s",     "60",   "-5s",    "+5s",   "1.5h", "1h30m", "60  s", " 60s", "60s ", "60S",
          "1mo", "1y", "0x10s", "1e3s", "1_000s", "60\ts", "nan",  "inf",   "60ss",  "5 ",   "ms"}) {
        EXPECT_FALSE(parse_duration(text)) << text;
    }
    EXPECT_FALSE(parse_duration(std::string_view("60s\0", 4)));
}

TEST(DurationText, NamesTheLongestPossible) {
    EXPECT_EQ(parse_duration("36525d"), kPeriodMax);
    for (const char* text : {"36526d", "99999999999999999999s", "18446744073709551616ms", "5218w"}) {
        const auto result = parse_duration(text);
        ASSERT_FALSE(result) << text;
        EXPECT_THAT(result.error(), ::testing::HasSubstr("36525d"));
    }
}

TEST(DurationText, WritesWhatItReads) {
    for (const char* text : {"250ms", "1s", "90s", "1m", "90m", "1h", "1d", "1w", "36525d", "0s"}) {
        EXPECT_EQ(write_duration(*parse_duration(text)), text);
    }
    EXPECT_EQ(write_duration(60s), "1m");
    EXPECT_EQ(write_duration(Duration{1}), "1us");
}

}  // namespace
}  // namespace stint::inline v0
