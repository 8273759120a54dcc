#include "stint/http_headers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace stint::inline v0 {
namespace {

using namespace std::chrono_literals;
using Fields = std::vector<std::pair<std::string, std::string>>;

Decision decided(const Limit& limit, std::uint64_t remaining, Duration reset) {
    Decision decision;
    decision.source = Source::store;
    decision.rule = "submit";
    decision.limit = limit.ceiling();
    decision.remaining = remaining;
    decision.reset_after = reset;
    decision.limits.push_back({.rule = "submit", .limit = limit, .remaining = remaining, .reset_after = reset});
    return decision;
}

Decision denied(Duration retry) {
    Decision decision = decided(Limit::fixed_window(3, 60s), 0, 42s);
    decision.allowed = false;
    decision.retry_after = retry;
    return decision;
}

std::string policy_of(const Limit& limit) {
    return http_headers(decided(limit, 0, 0s)).at(0).second;
}

TEST(HttpHeaders, NamesPolicyAndWhatIsLeft) {
    const Fields expected = {{"RateLimit-Policy", R"("submit";q=3;w=60)"}, {"RateLimit", R"("submit";r=1;t=42)"}};
    EXPECT_EQ(http_headers(decided(Limit::fixed_window(3, 60s), 1, 42s)), expected);
}

TEST(HttpHeaders, RoundsSecondsUp) {
    const auto fields = http_headers(decided(Limit::fixed_window(3, 60s + 1us), 1, 41s + 1us));
    EXPECT_EQ(fields.at(0).second, R"("submit";q=3;w=61)");
    EXPECT_EQ(fields.at(1).second, R"("submit";r=1;t=42)");
    EXPECT_EQ(http_headers(decided(Limit::fixed_window(3, 60s), 3, 0s)).at(1).second, R"("submit";r=3;t=0)");
}

TEST(HttpHeaders, AddsRetryAfterOnlyToACurableDenial) {
    EXPECT_EQ(http_headers(denied(2500ms)).at(2), std::make_pair(std::string{"Retry-After"}, std::string{"3"}));
    EXPECT_EQ(http_headers(denied(1us)).at(2).second, "1");
    EXPECT_EQ(http_headers(denied(0us)).at(2).second, "1") << "a refusal never says 0";
    EXPECT_EQ(http_headers(denied(kNever)).size(), 2U);
    EXPECT_EQ(http_headers(decided(Limit::fixed_window(3, 60s), 0, 42s)).size(), 2U);
}

TEST(HttpHeaders, GivesEachAlgorithmItsWindow) {
    EXPECT_EQ(policy_of(Limit::sliding_window(25, 1min)), R"("submit";q=25;w=60)");
    EXPECT_EQ(policy_of(Limit::sliding_log(25, 1500ms)), R"("submit";q=25;w=2)");
    // 200 tokens at 100 a second flow back in 2 s; 3 at 2 a second in 1.5 s.
    EXPECT_EQ(policy_of(Limit::token_bucket(100, 1s, 200)), R"("submit";q=200;w=2)");
    EXPECT_EQ(policy_of(Limit::token_bucket(2, 1s, 3)), R"("submit";q=3;w=2)");
    EXPECT_EQ(policy_of(Limit::token_bucket(3, 7s)), R"("submit";q=3;w=7)");
    EXPECT_EQ(policy_of(Limit::concurrency(5, 30s)), R"("submit";q=5)");
    const Limit month = Limit::make(
        {.algorithm = Algorithm::fixed_window, .limit = 1000, .anchor = Anchor::calendar, .unit = CalendarUnit::month});
    EXPECT_EQ(policy_of(month), R"("submit";q=1000)");
}

TEST(HttpHeaders, NeverWritesAWindowOfZeroSeconds) {
    EXPECT_EQ(policy_of(Limit::token_bucket(0, 1s)), R"("submit";q=0)");
    EXPECT_EQ(policy_of(Limit::fixed_window(3, 1us)), R"("submit";q=3;w=1)");
}

TEST(HttpHeaders, StaysWithinTheIntegersOfStructuredFields) {
    const Limit huge = Limit::token_bucket(kBucketMax, 1s);
    const auto fields = http_headers(decided(huge, kBucketMax, 0s));
    EXPECT_EQ(fields.at(0).second, R"("submit";q=999999999999999;w=1)");
    EXPECT_EQ(fields.at(1).second, R"("submit";r=999999999999999;t=0)");
}

TEST(HttpHeaders, SaysNothingWhenNoEnforcedRuleApplies) {
    EXPECT_TRUE(http_headers(Decision{}).empty());
    Decision shadow = decided(Limit::fixed_window(3, 60s), 0, 42s);
    shadow.source = Source::shadow;
    EXPECT_TRUE(http_headers(shadow, {.x_rate_limit = true}).empty());
}

TEST(HttpHeaders, SwitchesEachKind) {
    const Decision decision = decided(Limit::token_bucket(100, 1s, 200), 150, 500ms);
    const Fields expected = {
        {"X-RateLimit-Limit", "200"}, {"X-RateLimit-Remaining", "150"}, {"X-RateLimit-Reset", "1"}};
    EXPECT_EQ(http_headers(decision, {.rate_limit = false, .x_rate_limit = true}), expected);
    EXPECT_EQ(http_headers(decision, {.rate_limit = true, .x_rate_limit = true}).size(), 5U);
    EXPECT_TRUE(http_headers(decision, {.rate_limit = false}).empty());
}

TEST(HttpHeaders, StillSaysWhenToRetryIfOnlyThatIsWanted) {
    const Fields expected = {{"Retry-After", "60"}};
    EXPECT_EQ(http_headers(denied(60s), {.rate_limit = false}), expected);
}

}  // namespace
}  // namespace stint::inline v0
