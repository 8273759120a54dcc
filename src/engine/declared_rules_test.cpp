// Rules that a program declares, alone and beside a rule file.
#include "engine/declared_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>

#include "stint/limiter.hpp"

namespace stint::inline v0::engine {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr CheckOptions kAtNow{.now = Instant{seconds{1'800'000'000}}};

Rule rule(std::string name, std::uint64_t limit, std::vector<std::string> key = {"_1"}) {
    return Rule{.name = std::move(name), .key = std::move(key), .limits = {Limit::fixed_window(limit, minutes{1})}};
}

std::string problems_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "no problem";
}

class DeclaredRulesTest : public testing::Test {
protected:
    Decision check(Limiter& limiter, RuleHandle handle, std::string_view key = "42") {
        return limiter.check(handle, std::span{&key, 1}, kAtNow);
    }
    /// Returns: how many of 100 checks pass.
    int allowed(Limiter& limiter, RuleHandle handle, std::string_view key = "42") {
        int count = 0;
        for (int i = 0; i < 100; ++i) count += check(limiter, handle, key).allowed ? 1 : 0;
        return count;
    }

    MemoryStore store_;
};

TEST_F(DeclaredRulesTest, LimitWithoutAnyFile) {
    Limiter limiter{store_, RuleSet{}};
    const RuleHandle submit = limiter.declare(rule("submit", 3));
    EXPECT_EQ(allowed(limiter, submit), 3);
    EXPECT_EQ(allowed(limiter, submit, "another"), 3);
    const Decision denied = check(limiter, submit);
    EXPECT_EQ(denied.rule, "submit");
    EXPECT_EQ(denied.retry_after, Duration{minutes{1}});
}

TEST_F(DeclaredRulesTest, TheFileHasTheLastWord) {
    Limiter limiter{store_, RuleSet{{rule("other", 1, {"team"}), rule("submit", 5, {"team"})}}};
    const RuleHandle submit = limiter.declare(rule("submit", 3));
    EXPECT_EQ(allowed(limiter, submit), 5);
    EXPECT_EQ(limiter.rules().rules().size(), 2U);
    EXPECT_FALSE(limiter.check_rule("submit", std::vector<Attribute>{{"team", "42"}}, kAtNow)->allowed)
        << "the same counter by its name";
}

TEST_F(DeclaredRulesTest, StayInForceAcrossReloads) {
    Limiter limiter{store_, RuleSet{}};
    const RuleHandle submit = limiter.declare(rule("submit", 3, {"team"}));
    EXPECT_EQ(allowed(limiter, submit), 3);
    limiter.reload(RuleSet{{rule("first", 9), rule("submit", 10, {"team"})}});
    EXPECT_EQ(allowed(limiter, submit), 7) << "a changed number refills nobody";
    limiter.reload(RuleSet{{rule("first", 9)}});
    EXPECT_EQ(allowed(limiter, submit), 0);
    EXPECT_EQ(allowed(limiter, submit, "43"), 3);
}

TEST_F(DeclaredRulesTest, AreTheSameWhenDeclaredAgain) {
    Limiter limiter{store_, RuleSet{}};
    const RuleHandle first = limiter.declare(rule("submit", 3));
    EXPECT_NE(limiter.declare(rule("export", 3)), first);
    EXPECT_EQ(limiter.declare(rule("submit", 3)), first);
    EXPECT_THAT(problems_of([&] { limiter.declare(rule("submit", 4)); }),
                HasSubstr("rule submit: is declared twice, with different limits or keys"));
    EXPECT_EQ(allowed(limiter, first), 3);
}

TEST_F(DeclaredRulesTest, SeveralStandOrFallTogether) {
    Limiter limiter{store_, RuleSet{}};
    Rule impossible = rule("no name that can be", 3);
    EXPECT_THAT(problems_of([&] {
                    limiter.declare(std::vector<Rule>{rule("fine", 3), impossible});
                }),
                HasSubstr("no name that can be"));
    EXPECT_TRUE(limiter.rules().rules().empty());
    const auto handles = limiter.declare(std::vector<Rule>{rule("a", 1), rule("b", 2), rule("a", 1)});
    ASSERT_EQ(handles.size(), 3U);
    EXPECT_EQ(handles[0], handles[2]);
    EXPECT_EQ(allowed(limiter, handles[1]), 2);
    EXPECT_EQ(allowed(limiter, handles[0]), 1);
}

TEST_F(DeclaredRulesTest, CountByTheAttributesOfTheFile) {
    Limiter limiter{store_, RuleSet{{rule("submit", 5, {"team", "task"}), rule("login", 5, {"ip"})}}};
    EXPECT_THAT(problems_of([&] { limiter.declare(rule("submit", 3)); }),
                HasSubstr("rule submit: counts by [team, task], but the program has declared it with [_1]"));
    EXPECT_THAT(problems_of([&] {
                    limiter.declare(rule("submit", 3, {"task", "team"}));
                }),
                HasSubstr("[task, team]"))
        << "the values would change places";
    const RuleHandle login = limiter.declare(rule("login", 3));
    EXPECT_EQ(allowed(limiter, login, "::ffff:192.0.2.7"), 5);
    EXPECT_EQ(allowed(limiter, login, "192.0.2.7"), 0) << "the file says that it is an address";
    EXPECT_THAT(problems_of([&] { limiter.reload(RuleSet{{rule("login", 5, {})}}); }), HasSubstr("rule login"));
    EXPECT_EQ(allowed(limiter, login, "192.0.2.8"), 5) << "a bad reload leaves the old rules in force";
}

TEST_F(DeclaredRulesTest, HaveShadowsBansAndCostsAsOthersHave) {
    Limiter limiter{store_, RuleSet{}};
    Rule shadow = rule("shadow", 1);
    shadow.shadow = true;
    Rule dear = rule("dear", 10);
    dear.cost = 5;
    Rule banning = rule("banning", 1);
    banning.ban = Ban{.denials = 2, .within = minutes{1}, .duration = minutes{10}, .silent = true};
    const auto handles = limiter.declare(std::vector<Rule>{shadow, dear, banning});
    EXPECT_EQ(allowed(limiter, handles[0]), 100);
    EXPECT_EQ(allowed(limiter, handles[1]), 2);
    EXPECT_EQ(allowed(limiter, handles[2]), 1);
    EXPECT_TRUE(check(limiter, handles[2]).silent);
}

TEST_F(DeclaredRulesTest, PeekingChangesNothing) {
    Limiter limiter{store_, RuleSet{}};
    const RuleHandle submit = limiter.declare(rule("submit", 3));
    const std::string_view key = "42";
    for (int i = 0; i < 5; ++i) EXPECT_EQ(limiter.peek(submit, std::span{&key, 1}, kAtNow).remaining, 3U);
}

TEST_F(DeclaredRulesTest, SeveralValuesOfAKeyAreKeptApart) {
    Limiter limiter{store_, RuleSet{}};
    const RuleHandle submit = limiter.declare(rule("submit", 1, {"_1", "_2"}));
    const auto passes = [&](std::string_view a, std::string_view b) {
        return limiter.check(submit, std::vector{a, b}, kAtNow).allowed;
    };
    EXPECT_TRUE(passes("ab", "c"));
    EXPECT_TRUE(passes("a", "bc"));
    EXPECT_FALSE(passes("ab", "c"));
}

TEST_F(DeclaredRulesTest, AskedWithoutWaiting) {
    Limiter limiter{store_, RuleSet{}};
    const RuleHandle submit = limiter.declare(rule("submit", 3));
    int passed = 0;
    for (int i = 0; i < 9; ++i) {
        std::string key = "a key that the caller does not keep, long enough for the heap";
        const std::string_view value = key;
        limiter.check_async(submit, std::span{&value, 1}, kAtNow,
                            [&](const Decision& decision) { passed += decision.allowed ? 1 : 0; });
    }
    EXPECT_EQ(passed, 3);
}

TEST_F(DeclaredRulesTest, GuessedHandlesAreAMistakeOfTheProgram) {
    Limiter limiter{store_, RuleSet{}};
    Limiter other{store_, RuleSet{}};
    const RuleHandle foreign = other.declare(rule("submit", 3));
    const std::string_view key = "42";
    EXPECT_DEATH((void)limiter.check(foreign, std::span{&key, 1}), "assertion failed");
    EXPECT_DEATH((void)limiter.check(RuleHandle{}, std::span{&key, 1}), "assertion failed");
    EXPECT_DEATH((void)other.check(foreign, {}), "assertion failed");
}

// Declaring, reloading and checking at once: every check finds its rule, and the counts are exact.
TEST_F(DeclaredRulesTest, CanBeDeclaredWhileOthersCheck) {
    Limiter limiter{store_, RuleSet{}};
    const RuleHandle first = limiter.declare(rule("rule-0", 1'000));
    std::atomic<bool> stop{false};
    std::atomic<int> passed{0};
    std::vector<std::thread> checkers;
    for (int i = 0; i < 2; ++i) {
        checkers.emplace_back([&] {
            while (!stop) passed += check(limiter, first).allowed ? 1 : 0;
        });
    }
    std::thread reloader{[&] {
        for (int i = 0; i < 50; ++i) limiter.reload(RuleSet{{rule("file-" + std::to_string(i), 1)}});
    }};
    for (int i = 1; i < 50; ++i) {
        const RuleHandle own = limiter.declare(rule("rule-" + std::to_string(i), 1));
        EXPECT_TRUE(check(limiter, own).allowed);
        EXPECT_FALSE(check(limiter, own).allowed);
    }
    reloader.join();
    while (passed < 1'000) std::this_thread::yield();
    stop = true;
    for (std::thread& checker : checkers) checker.join();
    EXPECT_EQ(passed, 1'000);
    EXPECT_EQ(limiter.rules().rules().size(), 51U) << "the last file's, and 50 declared";
}

}  // namespace
}  // namespace stint::inline v0::engine
