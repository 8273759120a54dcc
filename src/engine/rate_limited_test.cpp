// Functions under a limit, as programs write them.
#include "stint/rate_limited.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stint/memory_store.hpp"
#include "stint/testing.hpp"

namespace stint::inline v0 {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

struct Team {
    int id = 0;
};

struct Contest {
    int submitted = 0;
    int submit(const Team& team, std::string answer) {
        ++submitted;
        return team.id * 100 + static_cast<int>(answer.size());
    }
    [[nodiscard]] const std::string& title() const noexcept { return title_; }

private:
    std::string title_ = "a contest";
};

inline constexpr RuleTable kRules{{
    {.name = "submit", .key = {"team"}, .limits = {per_minute(3)}},
    {.name = "edit", .key = {"user", "document"}, .limits = {per_minute(2), per_hour(3)}},
    {.name = "all", .limits = {per_second(5).token_bucket(5)}},
}};

class RateLimitedTest : public ::testing::Test {
protected:
    /// Returns: how many of `calls` calls of `call` get through.
    template <typename Call>
    static int passed(const Call& call, int calls = 20) {
        int count = 0;
        for (int i = 0; i < calls; ++i) {
            try {
                call();
                ++count;
            } catch (const RateLimitExceeded&) {
            }
        }
        return count;
    }

    testing::ManualClock clock_;
    MemoryStore store_{{.clock = clock_}};
    Limiter limiter_{store_, RuleSet{}};
};

TEST_F(RateLimitedTest, ThrowsOnTheFourthCallInAMinute) {
    Contest contest;
    auto submit = rate_limited<"submit", 3, 60>(limiter_, &Contest::submit,
                                                [](auto&, const Team& team, auto&&...) { return team.id; });
    for (int i = 0; i < 3; ++i) EXPECT_EQ(submit(contest, Team{7}, "four"), 704);
    try {
        submit(contest, Team{7}, "four");
        FAIL() << "the fourth got through";
    } catch (const RateLimitExceeded& denial) {
        EXPECT_EQ(denial.decision().rule, "submit");
        EXPECT_EQ(denial.decision().limit, 3U);
        EXPECT_STREQ(denial.what(), "rate limit 'submit' exceeded: try again in 61.000 s");
    }
    EXPECT_EQ(contest.submitted, 3) << "a denied call has not begun";
    EXPECT_EQ(submit(contest, Team{8}, ""), 800);
    clock_.advance(seconds{61});
    EXPECT_EQ(submit(contest, Team{7}, "x"), 701);
}

TEST_F(RateLimitedTest, TheKeyMayComeFromTheSurroundings) {
    std::string session = "ann";
    auto post = rate_limited<"post", 2, 60>(
        limiter_, [](int x) { return 2 * x; }, [&] { return session; });
    EXPECT_EQ(post(21), 42);
    EXPECT_EQ(passed([&] { post(1); }), 1);
    session = "ben";
    EXPECT_EQ(passed([&] { post(1); }), 2);
}

TEST_F(RateLimitedTest, WithoutAKeyAllCountTogether) {
    auto ping = rate_limited<"ping", 4, 1>(limiter_, [] {});
    EXPECT_EQ(passed(ping), 4);
}

TEST_F(RateLimitedTest, TakesAnyKindOfLimit) {
    EXPECT_EQ(passed(rate_limited<"quota">(limiter_, per_minute(3), [] {})), 3);
    EXPECT_EQ(passed(rate_limited<"bucket">(limiter_, per_second(1).token_bucket(5), [] {})), 5);
    const std::uint64_t configured = 7;
    EXPECT_EQ(passed(rate_limited<"limit">(limiter_, Limit::sliding_log(configured, minutes{1}), [] {})), 7);
    EXPECT_EQ(passed(rate_limited<kRules, "all">(limiter_, [] {})), 5);
    auto edit = rate_limited<kRules, "edit">(
        limiter_, [](int, int) {},
        [](int user, int document) {
            return std::tuple{user, document};
        });
    EXPECT_EQ(passed([&] { edit(1, 2); }), 2);
    EXPECT_EQ(passed([&] { edit(2, 1); }), 2);
    clock_.advance(minutes{2});
    EXPECT_EQ(passed([&] { edit(1, 2); }), 1) << "three in an hour";
}

TEST_F(RateLimitedTest, TheRuleFileOverridesTheNumbers) {
    auto submit = rate_limited<"submit", 3, 60>(
        limiter_, [](int) {}, [](int team) { return team; });
    limiter_.reload(
        parse_rules("version: 1\nrules:\n"
                    "  - {name: submit, match: {action: submit}, key: [team], limits: [{limit: 5, per: 1m}]}\n"));
    EXPECT_EQ(passed([&] { submit(1); }), 5);
    EXPECT_FALSE(limiter_.check({{"action", "submit"}, {"team", "1"}}).allowed) << "the same counter";
}

TEST_F(RateLimitedTest, OneActionHasOneLimit) {
    const auto three = rate_limited<"submit", 3, 60>(limiter_, [] {});
    const auto again = rate_limited<"submit", 3, 60>(limiter_, [] {});
    EXPECT_EQ(passed(three) + passed(again), 3);
    EXPECT_THROW((void)(rate_limited<"submit", 4, 60>(limiter_, [] {})), ConfigError);
}

TEST_F(RateLimitedTest, AsksAllRulesThatApplyToTheAttributes) {
    limiter_.reload(RuleSet{{Rule{.name = "submit",
                                  .match = {{"action", {"submit"}}},
                                  .key = {"team"},
                                  .limits = {Limit::fixed_window(3, minutes{1})},
                                  .overrides = {{{{"plan", {"pro"}}}, {Limit::fixed_window(6, minutes{1})}}}},
                             Rule{.name = "all", .limits = {Limit::fixed_window(8, minutes{1})}}}});
    auto submit = rate_limited(
        limiter_, [](std::string_view, std::string_view) {},
        [](std::string_view team, std::string_view plan) {
            return std::array{Attribute{"action", "submit"}, Attribute{"team", team}, Attribute{"plan", plan}};
        });
    EXPECT_EQ(passed([&] { submit("a", "free"); }), 3);
    EXPECT_EQ(passed([&] { submit("b", "pro"); }), 5) << "8 in all";
}

TEST_F(RateLimitedTest, ResultsCarryTheDecision) {
    auto square = try_rate_limited<"square", 2, 60>(limiter_, [](int x) { return std::make_unique<int>(x * x); });
    auto first = square(3);
    ASSERT_TRUE(first);
    EXPECT_EQ(**first, 9);
    EXPECT_EQ(first.decision().remaining, 1U);
    EXPECT_EQ(*std::move(first).value(), 9);
    EXPECT_TRUE(square(4).has_value());
    auto third = square(5);
    EXPECT_FALSE(third);
    EXPECT_EQ(third.error().retry_after, Duration{seconds{61}});
    EXPECT_THROW((void)third.value(), RateLimitExceeded);
    EXPECT_EQ(std::move(third).value_or(nullptr), nullptr);

    int calls = 0;
    auto count = try_rate_limited<"count", 1, 60>(limiter_, [&] { ++calls; });
    EXPECT_TRUE(count());
    EXPECT_FALSE(count());
    EXPECT_EQ(calls, 1);

    const Contest contest;
    auto title = try_rate_limited<"title", 1, 60>(limiter_, &Contest::title);
    const auto result = title(contest);
    EXPECT_EQ(&*result, &contest.title()) << "a reference stays one";
    EXPECT_EQ(result->size(), 9U);
}

TEST_F(RateLimitedTest, ForwardsWhatItIsGiven) {
    auto take = rate_limited<"take", 9, 60>(limiter_, [](std::unique_ptr<int> value, int& counted) {
        ++counted;
        return value;
    });
    int counted = 0;
    EXPECT_EQ(*take(std::make_unique<int>(5), counted), 5);
    EXPECT_EQ(counted, 1);

    // The key is told before the arguments are moved from.
    auto keep = rate_limited<"keep", 1, 60>(
        limiter_, [](std::string text) { return text; }, [](const std::string& text) { return std::string{text}; });
    EXPECT_EQ(keep(std::string{"a text that is too long to be kept in place"}).size(), 43U);
    EXPECT_THROW(keep(std::string{"a text that is too long to be kept in place"}), RateLimitExceeded);
}

TEST_F(RateLimitedTest, WrapsAllThatCanBeCalled) {
    Contest started;
    started.submitted = 5;
    EXPECT_EQ((rate_limited<"std", 9, 60>(limiter_, std::function<int()>{[] { return 1; }}))(), 1);
    EXPECT_EQ((rate_limited<"data", 9, 60>(limiter_, &Contest::submitted))(std::as_const(started)), 5);
    Contest contest;
    auto submit =
        rate_limited<"pointer", 9, 60>(limiter_, &Contest::submit, [](auto&&, const Team& t, auto&&) { return t.id; });
    EXPECT_EQ(submit(&contest, Team{1}, "x"), 101);
    EXPECT_EQ(submit(std::ref(contest), Team{1}, "x"), 101);
    auto generic = rate_limited<"generic", 9, 60>(
        limiter_, [](const auto& value) { return value; }, [](int value) { return value; });
    EXPECT_EQ(generic(5), 5);
}

TEST_F(RateLimitedTest, IsNoexceptWhereItCanBe) {
    const auto safe = [](int) noexcept { return 1; };
    const auto key = [](int x) noexcept { return x; };
    auto result = try_rate_limited<"a", 9, 60>(limiter_, safe, key);
    static_assert(noexcept(result(1)));
    auto together = try_rate_limited<"b", 9, 60>(limiter_, safe);
    static_assert(noexcept(together(1)));
    auto throwing = rate_limited<"c", 9, 60>(limiter_, safe, key);
    static_assert(!noexcept(throwing(1)));
    auto unsafe_key = try_rate_limited<"d", 9, 60>(limiter_, safe, [](int x) { return x; });
    static_assert(!noexcept(unsafe_key(1)));
    auto unsafe = try_rate_limited<"e", 9, 60>(
        limiter_, [](int) { return 1; }, key);
    static_assert(!noexcept(unsafe(1)));
}

TEST_F(RateLimitedTest, CostsWhatTheCallSays) {
    auto upload = rate_limited<"upload">(
        limiter_, per_minute(100), [](int, std::uint64_t) {},
        [](int user, std::uint64_t bytes) {
            return KeyAndCost{user, bytes};
        });
    upload(1, 60);
    EXPECT_THROW(upload(1, 41), RateLimitExceeded);
    upload(1, 40);
    upload(2, 100);
    try {
        upload(3, 101);
        FAIL();
    } catch (const RateLimitExceeded& denial) {
        EXPECT_STREQ(denial.what(), "rate limit 'upload' exceeded: this can never pass");
    }
}

TEST_F(RateLimitedTest, GivesBackWhatConcurrencyLent) {
    int running = 0;
    std::function<void(int)> work = [](int) {};
    auto job = rate_limited<"job">(limiter_, concurrency(2, minutes{1}), [&](int depth) {
        ++running;
        work(depth);
    });
    work = [&](int depth) {
        if (depth > 1) job(depth - 1);
    };
    job(2);
    EXPECT_THROW(job(3), RateLimitExceeded);
    EXPECT_EQ(running, 4);
    work = [](int) { throw std::runtime_error{"failed"}; };
    for (int i = 0; i < 5; ++i) EXPECT_THROW(job(1), std::runtime_error) << "a call that throws gives back too";
    auto quiet = try_rate_limited<"job">(limiter_, concurrency(2, minutes{1}), [] { return 1; });
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(quiet());
}

TEST_F(RateLimitedTest, SilentDenialsAreMarked) {
    static constexpr RuleTable kSpam{{
        {.name = "invite",
         .key = {"user"},
         .limits = {per_minute(1)},
         .ban = Ban{.denials = 1, .within = minutes{1}, .duration = hours{1}, .silent = true}},
    }};
    auto invite = try_rate_limited<kSpam, "invite">(
        limiter_, [](int) {}, [](int user) { return user; });
    EXPECT_TRUE(invite(1));
    EXPECT_FALSE(invite(1).decision().silent) << "the denial that starts the ban";
    EXPECT_TRUE(invite(1).decision().silent);
}

TEST_F(RateLimitedTest, KeysThatAreNoTextAreDigits) {
    enum class Color : std::uint8_t { red = 1 };
    auto f = rate_limited<"f", 1, 60>(
        limiter_, [](Color, std::int64_t, std::uint64_t) {},
        [](Color color, std::int64_t low, std::uint64_t high) {
            return std::tuple{color, low, high};
        });
    f(Color::red, INT64_MIN, UINT64_MAX);
    EXPECT_FALSE(
        limiter_.peek({{"action", "f"}, {"_1", "1"}, {"_2", "-9223372036854775808"}, {"_3", "18446744073709551615"}})
            .remaining > 0);
    EXPECT_EQ(limiter_.peek({{"action", "f"}, {"_1", "2"}, {"_2", "0"}, {"_3", "0"}}).remaining, 1U);
}

// The mission's own proof, as a user writes it.
TEST_F(RateLimitedTest, AmongAHundredAtOnceExactlyTenGetThrough) {
    for (int round = 0; round < 200; ++round) {
        auto submit = rate_limited<"mission", 10, 60>(
            limiter_, [](int) {}, [](int team) { return team; });
        const testing::Passed passed = testing::call_together({.calls = 100, .threads = 20}, [&] { submit(round); });
        ASSERT_EQ(passed, (testing::Passed{.allowed = 10, .denied = 90})) << "round " << round;
    }
}

class GuardTest : public RateLimitedTest {
protected:
    void submit(int team) {
        STINT_RATE_LIMIT(limiter_, team, "submit", 3, 60);
        ++submitted_;
    }
    void edit(Limiter& limiter, std::string_view user, int document) {
        STINT_RATE_LIMIT(limiter, std::tie(user, document), kRules, "edit");
        ++submitted_;
    }
    int submitted_ = 0;
};

TEST_F(GuardTest, StandsAtTheHeadOfAFunction) {
    EXPECT_EQ(passed([&] { submit(1); }), 3);
    EXPECT_EQ(passed([&] { submit(2); }), 3);
    EXPECT_EQ(submitted_, 6);
    EXPECT_EQ(passed([&] { edit(limiter_, "ann", 1); }), 2);
}

TEST_F(GuardTest, OneLineServesSeveralLimiters) {
    MemoryStore other_store{{.clock = clock_}};
    Limiter other{other_store, RuleSet{}};
    for (int round = 0; round < 2; ++round) {
        edit(limiter_, "ann", 1);
        edit(other, "ann", 1);
    }
    EXPECT_THROW(edit(limiter_, "ann", 1), RateLimitExceeded);
    EXPECT_THROW(edit(other, "ann", 1), RateLimitExceeded);
}

TEST_F(GuardTest, HoldsALeaseToTheEndOfItsScope) {
    const RuleHandle work =
        limiter_.declare({.name = "work", .key = {"queue"}, .limits = {Limit::concurrency(1, minutes{1})}});
    {
        Guard first{limiter_, work, "mail"};
        EXPECT_THROW((void)(Guard{limiter_, work, "mail"}), RateLimitExceeded);
        Guard other{limiter_, work, "print"};
        Guard moved = std::move(first);
        EXPECT_TRUE(moved.renew());
        EXPECT_THROW((void)(Guard{limiter_, work, "mail"}), RateLimitExceeded) << "moving it gives nothing back";
    }
    Guard second{limiter_, work, "mail"};
    second.release();
    Guard third{limiter_, work, "mail"};
    second = std::move(third);
    EXPECT_THROW((void)(Guard{limiter_, work, "mail"}), RateLimitExceeded);
}

TEST_F(GuardTest, TakesADecisionOfAnyKind) {
    limiter_.reload(RuleSet{{Rule{.name = "one", .limits = {Limit::fixed_window(1, minutes{1})}}}});
    Guard first{limiter_, limiter_.check({{"user", "ann"}})};
    EXPECT_TRUE(first);
    const Guard second{limiter_, limiter_.check({{"user", "ann"}})};
    EXPECT_FALSE(second);
    EXPECT_EQ(second.decision().rule, "one");
    EXPECT_TRUE(first.refund());
    EXPECT_FALSE(first.refund());
    EXPECT_TRUE(limiter_.check({{"user", "ann"}}).allowed);
}

}  // namespace
}  // namespace stint::inline v0
