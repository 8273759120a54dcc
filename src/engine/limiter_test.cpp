#include "stint/limiter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "stint/memory_store.hpp"

namespace stint::inline v0 {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;

constexpr Instant kNow{seconds{1'800'000'000}};
constexpr CheckOptions kAtNow{.now = kNow};

Rule rule(std::string name, std::vector<std::string> key, std::vector<Limit> limits) {
    return Rule{.name = std::move(name), .key = std::move(key), .limits = std::move(limits)};
}

class LimiterTest : public testing::Test {
protected:
    MemoryStore store_;
};

TEST_F(LimiterTest, WithoutARuleThatAppliesARequestIsAllowed) {
    Limiter limiter{store_, RuleSet{{rule("submit", {"team"}, {Limit::fixed_window(3, seconds{60})})}}};
    const Decision decision = limiter.check({{"user", "7"}}, kAtNow);
    EXPECT_TRUE(decision.allowed);
    EXPECT_EQ(decision.source, Source::none);
    EXPECT_TRUE(decision.rule.empty());
    EXPECT_EQ(decision.deciding(), nullptr);
}

TEST_F(LimiterTest, TheFourthInAMinuteIsDenied) {
    Limiter limiter{store_, RuleSet{{rule("submit", {"team"}, {Limit::fixed_window(3, seconds{60})})}}};
    for (std::uint64_t left = 3; left-- > 0;) EXPECT_EQ(limiter.check({{"team", "42"}}, kAtNow).remaining, left);
    const Decision fourth = limiter.check({{"team", "42"}}, kAtNow);
    EXPECT_FALSE(fourth.allowed);
    EXPECT_EQ(fourth.rule, "submit");
    EXPECT_EQ(fourth.limit, 3U);
    EXPECT_EQ(fourth.retry_after, Duration{seconds{60}});
    EXPECT_THAT(fourth.denied_by(), ElementsAre("submit"));
    EXPECT_TRUE(limiter.check({{"team", "43"}}, kAtNow).allowed);
}

TEST_F(LimiterTest, ReportsTheLeastRemainingOrTheLongestWait) {
    Limiter limiter{store_, RuleSet{{rule("minute", {"user"}, {Limit::fixed_window(5, minutes{1})}),
                                     rule("hour", {"user"}, {Limit::fixed_window(5, hours{1})}),
                                     rule("site", {}, {Limit::fixed_window(6, minutes{1})})}}};
    EXPECT_EQ(limiter.check({{"user", "ann"}}, kAtNow).rule, "minute");  // a tie: the first
    for (int i = 0; i < 4; ++i) (void)limiter.check({{"user", "ann"}}, kAtNow);
    const Decision denied = limiter.check({{"user", "ann"}}, kAtNow);
    EXPECT_EQ(denied.rule, "hour");
    EXPECT_THAT(denied.denied_by(), ElementsAre("minute", "hour"));
    EXPECT_EQ(limiter.check({{"user", "ben"}}, kAtNow).rule, "site");
}

TEST_F(LimiterTest, AShadowNeverDeniesAndCountsOnItsOwn) {
    Rule shadow = rule("strict", {"user"}, {Limit::fixed_window(1, minutes{1})});
    shadow.shadow = true;
    Limiter limiter{store_, RuleSet{{shadow, rule("real", {"user"}, {Limit::fixed_window(2, minutes{1})})}}};
    (void)limiter.check({{"user", "ann"}}, kAtNow);
    const Decision second = limiter.check({{"user", "ann"}}, kAtNow);
    EXPECT_TRUE(second.allowed);
    EXPECT_EQ(second.rule, "real");
    ASSERT_EQ(second.limits.size(), 2U);
    EXPECT_TRUE(second.limits[0].shadow);
    EXPECT_FALSE(second.limits[0].allowed);
    EXPECT_FALSE(limiter.check({{"user", "ann"}}, kAtNow).allowed);
    const std::vector<RuleStats> stats = limiter.stats();
    EXPECT_EQ(stats[0].shadow_denied, 2U);
    EXPECT_EQ(stats[1].denied, 1U);
    EXPECT_EQ(stats[1].allowed, 2U);
}

TEST_F(LimiterTest, AShadowIsCountedAlsoWhenTheRequestIsDenied) {
    Rule shadow = rule("watch", {}, {Limit::fixed_window(100, minutes{1})});
    shadow.shadow = true;
    Limiter limiter{store_, RuleSet{{shadow, rule("none", {}, {Limit::fixed_window(0, minutes{1})})}}};
    for (int i = 0; i < 7; ++i) EXPECT_FALSE(limiter.check(std::initializer_list<Attribute>{}, kAtNow).allowed);
    EXPECT_EQ(limiter.peek(std::initializer_list<Attribute>{}, kAtNow).limits[0].remaining, 93U);
}

TEST_F(LimiterTest, OnlyShadowsGiveTheirNumbersButAllow) {
    Rule shadow = rule("watch", {}, {Limit::fixed_window(0, minutes{1})});
    shadow.shadow = true;
    Limiter limiter{store_, RuleSet{{shadow}}};
    const Decision decision = limiter.check(std::initializer_list<Attribute>{}, kAtNow);
    EXPECT_TRUE(decision.allowed);
    EXPECT_EQ(decision.source, Source::shadow);
    EXPECT_EQ(decision.rule, "watch");
    EXPECT_TRUE(decision.denied_by().empty());
}

TEST_F(LimiterTest, OverridesReplaceNumbersForSomeRequests) {
    Rule api = rule("api", {"user"}, {Limit::fixed_window(2, minutes{1})});
    api.overrides.push_back({{{"plan", {"pro"}}}, {Limit::fixed_window(5, minutes{1})}});
    Limiter limiter{store_, RuleSet{{api}}};
    (void)limiter.check({{"user", "ann"}}, kAtNow);
    EXPECT_EQ(limiter.check({{"user", "ann"}, {"plan", "pro"}}, kAtNow).remaining, 3U);
    EXPECT_FALSE(limiter.check({{"user", "ann"}}, kAtNow).allowed);  // the same count, the rule's own number
}

TEST_F(LimiterTest, ARulesCostMultipliesTheRequests) {
    Rule dear = rule("dear", {}, {Limit::fixed_window(100, minutes{1})});
    dear.cost = 10;
    Limiter limiter{store_, RuleSet{{dear}}};
    EXPECT_EQ(limiter.check(std::initializer_list<Attribute>{}, {.cost = 3, .now = kNow}).remaining, 70U);
    const Decision never = limiter.check(std::initializer_list<Attribute>{}, {.cost = ~std::uint64_t{0}, .now = kNow});
    EXPECT_FALSE(never.allowed);
    EXPECT_EQ(never.retry_after, kNever);
}

TEST_F(LimiterTest, ASilentBanMarksWhatItDenies) {
    Rule invite = rule("invite", {"user"}, {Limit::fixed_window(1, seconds{1})});
    invite.ban = Ban{.denials = 2, .within = minutes{10}, .duration = hours{24}, .silent = true};
    Limiter limiter{store_, RuleSet{{invite}}};
    const auto check = [&] { return limiter.check({{"user", "ann"}}, kAtNow); };
    EXPECT_TRUE(check().allowed);
    EXPECT_FALSE(check().silent);
    const Decision starts = check();
    EXPECT_FALSE(starts.silent);
    EXPECT_EQ(starts.retry_after, Duration{hours{24}});
    const Decision banned = check();
    EXPECT_FALSE(banned.allowed);
    EXPECT_TRUE(banned.silent);
    EXPECT_EQ(banned.remaining, 0U);
    EXPECT_EQ(banned.retry_after, Duration{hours{24}});
    EXPECT_EQ(limiter.stats()[0].banned, 1U);
    const std::array<Attribute, 1> key{Attribute{"user", "ann"}};
    EXPECT_TRUE(limiter.reset("invite", key));
    EXPECT_TRUE(check().allowed);
}

TEST_F(LimiterTest, ARefundWorksOnceAndNotForACopy) {
    Limiter limiter{store_, RuleSet{{rule("r", {}, {Limit::fixed_window(2, minutes{1})})}}};
    const auto check = [&] { return limiter.check(std::initializer_list<Attribute>{}, kAtNow); };
    Decision first = check();
    Decision copy = first;
    EXPECT_FALSE(limiter.refund(copy, kNow));
    EXPECT_TRUE(limiter.refund(first, kNow));
    EXPECT_FALSE(limiter.refund(first, kNow));
    EXPECT_EQ(check().remaining, 1U);
    Decision peeked = limiter.peek(std::initializer_list<Attribute>{}, kAtNow);
    EXPECT_FALSE(limiter.refund(peeked, kNow));
}

TEST_F(LimiterTest, LeasesAreReleasedAndRenewedByTheirText) {
    Limiter limiter{store_, RuleSet{{rule("slots", {"user"}, {Limit::concurrency(1, seconds{10})})}}};
    const Decision taken = limiter.check({{"user", "ann"}}, kAtNow);
    ASSERT_FALSE(taken.lease.empty());
    EXPECT_TRUE(limiter.check({{"user", "ann"}}, kAtNow).lease.empty());
    EXPECT_TRUE(limiter.renew(taken.lease, kNow + seconds{9}));
    EXPECT_FALSE(limiter.check({{"user", "ann"}}, {.now = kNow + seconds{18}}).allowed);
    EXPECT_TRUE(limiter.release(taken.lease, kNow + seconds{18}));
    EXPECT_FALSE(limiter.release(taken.lease, kNow + seconds{18}));
    EXPECT_TRUE(limiter.check({{"user", "ann"}}, {.now = kNow + seconds{18}}).allowed);
    for (const char* nonsense : {"", "~", "0", "0123456789abcdef~", "x~y~z", "0123456789abcdef~0123456789abcdef",
                                 "0123456789abcdef~0123456789abcdef0123456789abcdef"}) {
        EXPECT_FALSE(limiter.release(nonsense)) << nonsense;
        EXPECT_FALSE(limiter.renew(nonsense)) << nonsense;
    }
}

TEST_F(LimiterTest, AShadowLendsNothingToADeniedRequest) {
    Rule shadow = rule("slots", {}, {Limit::concurrency(5, seconds{10})});
    shadow.shadow = true;
    Limiter limiter{store_, RuleSet{{shadow, rule("none", {}, {Limit::fixed_window(0, minutes{1})})}}};
    EXPECT_TRUE(limiter.check(std::initializer_list<Attribute>{}, kAtNow).lease.empty());
    EXPECT_EQ(limiter.peek(std::initializer_list<Attribute>{}, kAtNow).limits[0].remaining, 5U);
}

TEST_F(LimiterTest, EachLeaseIsRenewedForItsOwnTime) {
    Limiter limiter{store_,
                    RuleSet{{rule("two", {}, {Limit::concurrency(1, seconds{10}), Limit::concurrency(1, hours{1})})}}};
    const Decision taken = limiter.check(std::initializer_list<Attribute>{}, kAtNow);
    EXPECT_TRUE(limiter.renew(taken.lease, kNow + seconds{5}));
    const Decision later = limiter.peek(std::initializer_list<Attribute>{}, {.now = kNow + seconds{5}});
    EXPECT_EQ(later.limits[0].retry_after, Duration{seconds{10}});
    EXPECT_EQ(later.limits[1].retry_after, Duration{hours{1}});
}

TEST(Limiter, RefusesALimitWhoseKeysTheStoreCannotKeep) {
    MemoryStore store{{.max_memory = 1 << 20}};  // 512 KiB for records, a quarter of it for one key
    EXPECT_NO_THROW((Limiter{store, RuleSet{{rule("log", {}, {Limit::sliding_log(32'768, seconds{60})})}}}));
    EXPECT_THROW((Limiter{store, RuleSet{{rule("log", {}, {Limit::sliding_log(40'000, seconds{60})})}}}), ConfigError);
    Limiter limiter{store, RuleSet{}};
    EXPECT_THROW(limiter.reload(RuleSet{{rule("slots", {}, {Limit::concurrency(100'000, seconds{60})})}}), ConfigError);
}

TEST_F(LimiterTest, AThousandRulesMayMatchAtOnce) {
    std::vector<Rule> rules;
    for (int i = 0; i < 1'000; ++i)
        rules.push_back(rule("r" + std::to_string(i), {}, {Limit::fixed_window(3, seconds{60})}));
    Limiter limiter{store_, RuleSet{rules}};
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter.check(std::initializer_list<Attribute>{}, kAtNow).allowed);
    EXPECT_EQ(limiter.check(std::initializer_list<Attribute>{}, kAtNow).denied_by().size(), 1'000U);
}

TEST_F(LimiterTest, AskingOneRuleUsesItsOwnNumbersWhateverItMatches) {
    Rule api = rule("api", {"user"}, {Limit::fixed_window(2, minutes{1})});
    api.match = {{"path", {"/api/*"}}};
    api.overrides.push_back({{{"user", {"ann"}}}, {Limit::fixed_window(5, minutes{1})}});
    Limiter limiter{store_, RuleSet{{api}}};
    const std::array<Attribute, 1> key{Attribute{"user", "ann"}};
    EXPECT_EQ(limiter.check_rule("api", key, kAtNow)->remaining, 1U);
    EXPECT_FALSE(limiter.check_rule("other", key, kAtNow));
    EXPECT_FALSE(limiter.check_rule("api", {}, kAtNow));
    EXPECT_EQ(limiter.peek_rule("api", key, kAtNow)->remaining, 1U);
}

// B36: parts that look alike when glued together.
TEST_F(LimiterTest, KeysOfSeveralPartsDoNotCollide) {
    Limiter limiter{store_, RuleSet{{rule("pair", {"a", "b"}, {Limit::fixed_window(1, minutes{1})}),
                                     rule("a", {"a"}, {Limit::fixed_window(1, minutes{1})}),
                                     rule("a_b", {"a_b"}, {Limit::fixed_window(1, minutes{1})})}}};
    EXPECT_TRUE(limiter.check({{"a", "b_c"}}, kAtNow).allowed);
    EXPECT_TRUE(limiter.check({{"a_b", "c"}}, kAtNow).allowed);
    EXPECT_TRUE(limiter.check({{"a", "x"}, {"b", "yz"}}, kAtNow).allowed);
    EXPECT_TRUE(limiter.check({{"a", "xy"}, {"b", "z"}}, kAtNow).allowed);
    EXPECT_TRUE(limiter.check({{"a", "x" + std::string(64, 'k') + "1"}}, kAtNow).allowed);
    EXPECT_TRUE(limiter.check({{"a", "x" + std::string(64, 'k') + "2"}}, kAtNow).allowed);
}

// B38.
TEST_F(LimiterTest, AnyBytesAreAKey) {
    Limiter limiter{store_, RuleSet{{rule("r", {"k"}, {Limit::fixed_window(1, minutes{1})})}}};
    const std::vector<std::string> keys{
        "",     " ",        "a b",       "a\r\nSET x 1",     std::string{"a\0b", 3},   "a:b",
        "a::b", "\xc3\xa9", "e\xcc\x81", "\xf0\x9f\x98\x80", std::string(10'240, 'k'), std::string(10'239, 'k') + "j"};
    for (const std::string& key : keys) EXPECT_TRUE(limiter.check({{"k", key}}, kAtNow).allowed);
    for (const std::string& key : keys) EXPECT_FALSE(limiter.check({{"k", key}}, kAtNow).allowed);
    EXPECT_EQ(limiter.check({{"other", ""}}, kAtNow).source, Source::none);  // missing is not empty
}

// B41, B58: the same rules from files in another order, 20 reloads, a rule that goes and comes back.
TEST_F(LimiterTest, AReloadForgivesNobody) {
    const Rule a = rule("a", {"k"}, {Limit::fixed_window(30, hours{1})});
    const Rule b = rule("b", {"k"}, {Limit::fixed_window(1'000, hours{1})});
    Limiter limiter{store_, RuleSet{{a, b}}};
    int allowed = 0;
    for (int round = 0; round < 20; ++round) {
        limiter.reload(round % 2 == 0 ? RuleSet{{b, a}} : RuleSet{{a, b}});
        for (int i = 0; i < 3; ++i) allowed += limiter.check({{"k", "x"}}, kAtNow).allowed;
    }
    EXPECT_EQ(allowed, 30);
    limiter.reload(RuleSet{{b}});
    EXPECT_TRUE(limiter.check({{"k", "x"}}, kAtNow).allowed);
    limiter.reload(RuleSet{{a, b}});
    EXPECT_FALSE(limiter.check({{"k", "x"}}, kAtNow).allowed);
    limiter.reload(RuleSet{{rule("a", {"k"}, {Limit::fixed_window(30, minutes{1})}), b}});
    EXPECT_TRUE(limiter.check({{"k", "x"}}, kAtNow).allowed);
}

TEST_F(LimiterTest, ABatchAnswersAsSingleChecksDo) {
    Limiter limiter{store_, RuleSet{{rule("r", {"k"}, {Limit::fixed_window(2, minutes{1})})}}};
    const std::array<Attribute, 1> ann{Attribute{"k", "ann"}};
    const std::array<Attribute, 1> other{Attribute{"x", "y"}};
    const std::array<Request, 4> requests{Request{ann}, Request{other}, Request{ann}, Request{ann}};
    const std::vector<Decision> decisions = limiter.check_batch(requests, kNow);
    ASSERT_EQ(decisions.size(), 4U);
    EXPECT_EQ(decisions[0].remaining, 1U);
    EXPECT_EQ(decisions[1].source, Source::none);
    EXPECT_EQ(decisions[2].remaining, 0U);
    EXPECT_FALSE(decisions[3].allowed);
}

TEST_F(LimiterTest, RulesMayBeReloadedWhileThreadsCheck) {
    const auto rules = [](std::uint64_t limit) {
        return RuleSet{{rule("r", {"k"}, {Limit::fixed_window(limit, hours{1})})}};
    };
    Limiter limiter{store_, rules(1'000)};
    std::atomic<int> allowed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 1'000; ++i) allowed += limiter.check({{"k", "x"}}, kAtNow).allowed;
        });
    }
    for (int i = 0; i < 200; ++i) limiter.reload(rules(1'000));
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(allowed, 1'000);
}

}  // namespace
}  // namespace stint::inline v0
