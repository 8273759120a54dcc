// The proof that stint exists for, as its users write it: of 100 calls on 20
// threads that are released together exactly 10 get through, in every form
// that a limit can have in code.
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "cpp_api/stores.hpp"
#include "stint/stint.hpp"
#include "stint/testing.hpp"

namespace stint::inline v0 {
namespace {

using testing::call_together;
using testing::Passed;
using ::testing::Test;

constexpr testing::Load kLoad{.calls = 100, .threads = 20};
constexpr Passed kTen{.allowed = 10, .denied = 90};
constexpr int kRounds = 30;

inline constexpr RuleTable kRules{{
    {.name = "table", .key = {"team"}, .limits = {per_minute(10)}},
}};

struct Contest {
    std::atomic<int> submitted = 0;
    void submit(const std::string&) { ++submitted; }
};

class Mission : public OnEachStore {
protected:
    static std::string team(int round) { return "team " + std::to_string(round); }

    void guarded(const std::string& team) {
        STINT_RATE_LIMIT(limiter_, team, "macro", 10, 60);
        ++entered_;
    }

    Limiter limiter_{store(), RuleSet{}};
    std::atomic<int> entered_ = 0;
};

TEST_P(Mission, WrappedMemberFunctions) {
    auto submit =
        rate_limited<"submit", 10, 60>(limiter_, &Contest::submit, [](auto&, const std::string& team) { return team; });
    for (int round = 0; round < kRounds; ++round) {
        Contest contest;
        ASSERT_EQ(call_together(kLoad, [&] { submit(contest, team(round)); }), kTen) << "round " << round;
        ASSERT_EQ(contest.submitted, 10);
    }
}

TEST_P(Mission, Results) {
    auto submit = try_rate_limited<"submit">(
        limiter_, per_minute(10).sliding_log(), [](int) { return 1; }, [](int round) { return round; });
    for (int round = 0; round < kRounds; ++round) {
        ASSERT_EQ(call_together(kLoad, [&] { return submit(round); }), kTen) << "round " << round;
    }
}

TEST_P(Mission, TheMacro) {
    for (int round = 0; round < kRounds; ++round) {
        ASSERT_EQ(call_together(kLoad, [&] { guarded(team(round)); }), kTen) << "round " << round;
    }
    EXPECT_EQ(entered_, 10 * kRounds);
}

TEST_P(Mission, RulesOfATable) {
    auto submit = rate_limited<kRules, "table">(
        limiter_, [](const std::string&) {}, [](const std::string& team) { return team; });
    for (int round = 0; round < kRounds; ++round) {
        ASSERT_EQ(call_together(kLoad, [&] { submit(team(round)); }), kTen) << "round " << round;
    }
}

TEST_P(Mission, RulesOfAFile) {
    limiter_.reload(
        parse_rules("version: 1\n"
                    "rules:\n"
                    "  - {name: file, match: {action: submit}, key: [team],\n"
                    "     limits: [{algorithm: token_bucket, limit: 10, per: 1h}]}\n"));
    for (int round = 0; round < kRounds; ++round) {
        const std::string key = team(round);
        const auto submit = [&] { return limiter_.check({{"action", "submit"}, {"team", key}}).allowed; };
        ASSERT_EQ(call_together(kLoad, submit), kTen) << "round " << round;
    }
}

// Whoever has a place keeps it until all have asked.
TEST_P(Mission, PlacesThatGuardsHold) {
    const RuleHandle work =
        limiter_.declare({.name = "work", .key = {"_1"}, .limits = {Limit::concurrency(10, std::chrono::hours{1})}});
    for (int round = 0; round < kRounds; ++round) {
        std::atomic<std::size_t> asked = 0;
        const auto hold = [&] {
            const Guard guard{limiter_, check_key(limiter_, work, round)};
            ++asked;
            while (guard && asked < kLoad.calls) std::this_thread::yield();
            return static_cast<bool>(guard);
        };
        ASSERT_EQ(call_together(kLoad, hold), kTen) << "round " << round;
    }
}

STINT_ON_EACH_STORE(Mission);

}  // namespace
}  // namespace stint::inline v0
