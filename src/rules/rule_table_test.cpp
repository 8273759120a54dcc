// Rules as constants are those that Limit::make and a RuleSet would make at run
// time; what these refuse does not compile (tests/cpp_api/compile_fail).
#include "stint/rule_table.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace stint::inline v0 {
namespace {

using namespace std::chrono_literals;

TEST(Quota, IsTheLimitOfItsNumbers) {
    EXPECT_EQ(per_minute(3).to_limit(), Limit::sliding_window(3, 1min));
    EXPECT_EQ(per_second(3).to_limit(), Limit::sliding_window(3, 1s));
    EXPECT_EQ(per_hour(3).to_limit(), Limit::sliding_window(3, 1h));
    EXPECT_EQ(per_day(3).to_limit(), Limit::sliding_window(3, 24h));
    EXPECT_EQ(quota(3, 7s).sliding_log().to_limit(), Limit::sliding_log(3, 7s));
    EXPECT_EQ(per_minute(3).fixed_window().to_limit(), Limit::fixed_window(3, 1min));
    EXPECT_EQ(per_minute(3).fixed_window(Anchor::clock).to_limit(), Limit::fixed_window(3, 1min, Anchor::clock));
    EXPECT_EQ(per_second(100).token_bucket().to_limit(), Limit::token_bucket(100, 1s));
    EXPECT_EQ(per_second(100).token_bucket(200).to_limit(), Limit::token_bucket(100, 1s, 200));
    EXPECT_EQ(concurrency(10, 30s).to_limit(), Limit::concurrency(10, 30s));
    EXPECT_EQ(per_minute(3).sliding_window(WindowMode::weighted, 1).to_limit(),
              Limit::make({.limit = 3, .per = 1min, .mode = WindowMode::weighted, .buckets = 1}));
    EXPECT_EQ(per_calendar(200, CalendarUnit::week, "Europe/Berlin").to_limit(),
              Limit::make({.algorithm = Algorithm::fixed_window,
                           .limit = 200,
                           .anchor = Anchor::calendar,
                           .unit = CalendarUnit::week,
                           .timezone = "Europe/Berlin"}));
    EXPECT_EQ(per_minute(3).sliding_log().count_denied().to_limit(),
              Limit::make({.algorithm = Algorithm::sliding_log, .limit = 3, .per = 1min, .count_denied = true}));
    // The last algorithm counts, with nothing left of those before.
    EXPECT_EQ(per_second(9).token_bucket(50).sliding_window().to_limit(), Limit::sliding_window(9, 1s));
    EXPECT_EQ(per_second(9).sliding_window(WindowMode::weighted, 2).sliding_log().to_limit(),
              Limit::sliding_log(9, 1s));
}

// The largest and smallest numbers that compile can be, and one more cannot: the compile errors begin where
// Limit::make refuses.
TEST(Quota, ReachesAsFarAsALimit) {
    EXPECT_NO_THROW((void)per_minute(4'294'967'295).to_limit());
    EXPECT_THROW((void)Limit::sliding_window(4'294'967'296, 1min), ConfigError);
    EXPECT_NO_THROW((void)per_minute(1'000'000).sliding_log().to_limit());
    EXPECT_THROW((void)Limit::sliding_log(1'000'001, 1min), ConfigError);
    EXPECT_NO_THROW((void)per_minute(0).to_limit());
    EXPECT_NO_THROW((void)quota(1, 60us).to_limit());
    EXPECT_THROW((void)Limit::sliding_window(1, 59us), ConfigError);
    EXPECT_NO_THROW((void)quota(1, 1us).sliding_window(WindowMode::strict, 1).to_limit());
    EXPECT_NO_THROW((void)quota(1, kPeriodMax).to_limit());
    EXPECT_THROW((void)Limit::sliding_window(1, kPeriodMax + 1us), ConfigError);
    EXPECT_NO_THROW((void)per_minute(3).sliding_window(WindowMode::strict, 1'440).to_limit());
    EXPECT_NO_THROW((void)concurrency(100'000, kPeriodMax).to_limit());
    EXPECT_NO_THROW((void)per_second(1ULL << 50).token_bucket(1ULL << 50).to_limit());
    EXPECT_NO_THROW((void)per_second(1).token_bucket(4'503'599'627).to_limit());
    EXPECT_THROW((void)Limit::token_bucket(1, 1s, 4'503'599'628), ConfigError);
}

TEST(Quota, ATimeZoneIsLookedForWhenTheProgramRuns) {
    EXPECT_THROW((void)per_calendar(1, CalendarUnit::day, "Mars/Olympus").to_limit(), ConfigError);
}

inline constexpr RuleTable kRules{{
    {.name = "submit", .key = {"team"}, .limits = {per_minute(3)}},
    {.name = "invite",
     .key = {"user", "document"},
     .limits = {per_minute(25), per_day(200)},
     .ban = Ban{.denials = 50, .within = 10min, .duration = 24h, .silent = true},
     .cost = 2,
     .shadow = true,
     .on_store_failure = OnStoreFailure::deny},
    {.name = "all", .limits = {per_second(9)}},
}};

TEST(RuleTable, MakesTheRules) {
    const Rule invite{.name = "invite",
                      .match = {{"action", {"invite"}}},
                      .key = {"user", "document"},
                      .limits = {Limit::sliding_window(25, 1min), Limit::sliding_window(200, 24h)},
                      .ban = Ban{.denials = 50, .within = 10min, .duration = 24h, .silent = true},
                      .cost = 2,
                      .shadow = true,
                      .on_store_failure = OnStoreFailure::deny};
    EXPECT_EQ(kRules["invite"].to_rule(), invite);
    EXPECT_EQ(kRules.rules()[1], invite);
    EXPECT_EQ(kRules.rules().size(), 3U);
    EXPECT_EQ(RuleSet{kRules.rules()}.rules()[2].key.size(), 0U);
}

}  // namespace
}  // namespace stint::inline v0
