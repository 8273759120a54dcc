// Rules made in code: what is refused, and that all of it is said at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/compiled_rules.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0 {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Rule good(std::string name = "good") {
    Rule rule;
    rule.name = std::move(name);
    rule.limits = {Limit::fixed_window(3, 60s)};
    return rule;
}

std::vector<std::string> problems(std::vector<Rule> rules, RuleSet::Options options = {}) {
    std::vector<std::string> result;
    try {
        static_cast<void>(RuleSet{std::move(rules), options});
    } catch (const ConfigError& error) {
        for (const Problem& problem : error.problems()) result.push_back(problem.to_string());
    }
    return result;
}

template <typename Change>
std::vector<std::string> problems_after(const Change& change) {
    Rule rule = good();
    change(rule);
    return problems({rule});
}

TEST(RuleSet, HoldsGoodRules) {
    EXPECT_THAT(problems({good("a"), good("B-2_x.y"), good(std::string(64, 'n'))}), IsEmpty());
    const RuleSet set{{good("a")}};
    EXPECT_EQ(set.rules()[0].name, "a");
    const RuleSet copy = set;
    EXPECT_EQ(&copy.rules(), &set.rules());
    EXPECT_THAT(RuleSet{}.rules(), IsEmpty());
}

TEST(RuleSet, NamesAreCheckedAndUnique) {
    for (const char* name : {"", "a b", "a/b", "\xc3\xa9", "a\n", "{a}", "a:b"}) {
        EXPECT_THAT(problems({good(name)}), ElementsAre(HasSubstr("name:"))) << name;
    }
    EXPECT_THAT(problems({good(std::string(65, 'n'))}), ElementsAre(HasSubstr("name:")));
    EXPECT_THAT(problems({good("a"), good("b"), good("a")}),
                ElementsAre("rule 3: name: 'a' is the name of two rules; the first is rule 1"));
}

TEST(RuleSet, LimitsAreOneToEightOfDifferentKinds) {
    EXPECT_THAT(problems_after([](Rule& rule) { rule.limits.clear(); }), ElementsAre(HasSubstr("at least one")));
    EXPECT_THAT(problems_after([](Rule& rule) {
                    for (int i = 1; i <= 8; ++i) rule.limits.push_back(Limit::fixed_window(1, std::chrono::seconds{i}));
                }),
                ElementsAre(HasSubstr("9 are too many; 8 at most")));
    EXPECT_THAT(problems_after([](Rule& rule) { rule.limits.push_back(Limit::fixed_window(9, 1min)); }),
                ElementsAre(AllOf(HasSubstr("entry 2"), HasSubstr("two limits of one kind"))));
    EXPECT_THAT(problems_after([](Rule& rule) {
                    rule.limits = {Limit::fixed_window(9, 1min), Limit::fixed_window(9, 1min, Anchor::clock),
                                   Limit::sliding_log(9, 1min), Limit::token_bucket(9, 1min)};
                }),
                IsEmpty());
}

TEST(RuleSet, OverridesHaveOneLimitOfTheSameKindForEach) {
    const auto with = [](Conditions match, std::vector<Limit> limits) {
        return problems_after([&](Rule& rule) { rule.overrides = {{.match = match, .limits = limits}}; });
    };
    EXPECT_THAT(with({{"plan", {"pro"}}}, {Limit::fixed_window(9, 1min)}), IsEmpty());
    EXPECT_THAT(with({{"plan", {"pro"}}}, {}), ElementsAre(HasSubstr("0 given, but the rule has 1")));
    EXPECT_THAT(with({{"plan", {"pro"}}}, {Limit::fixed_window(9, 1h)}),
                ElementsAre(HasSubstr("numbers only; this one is fixed_window per 1h (anchor first), the rule's is "
                                      "fixed_window per 1m (anchor first)")));
    EXPECT_THAT(with({{"plan", {"pro"}}}, {Limit::sliding_log(9, 1min)}),
                ElementsAre(HasSubstr("this one is sliding_log per 1m, the rule's")));
    EXPECT_THAT(with({}, {Limit::fixed_window(9, 1min)}), ElementsAre(HasSubstr("needs a condition")));
    EXPECT_THAT(with({{"ip", {"1.2.3.4/64"}}}, {Limit::fixed_window(9, 1min)}), ElementsAre(HasSubstr("0 to 32")));
}

TEST(RuleSet, ConditionsAndKeysAreChecked) {
    EXPECT_THAT(problems_after([](Rule& rule) { rule.match = {{"", {"x"}}}; }), ElementsAre(HasSubstr("needs a name")));
    EXPECT_THAT(problems_after([](Rule& rule) { rule.match = {{"a", {}}}; }), ElementsAre(HasSubstr("empty list")));
    EXPECT_THAT(problems_after([](Rule& rule) {
                    rule.unless = {{"a", {"x"}}, {"a", {"y"}}};
                }),
                ElementsAre(HasSubstr("named twice")));
    for (const char* bad : {"10.0.0.0/33", "1.2.3.4.5", "01.2.3.4", "::1::2", "10.0.0.0/", "2001:db8::/129", "1.2.3"}) {
        EXPECT_THAT(problems_after([&](Rule& rule) {
                        rule.match = {{"ip", {bad}}};
                    }),
                    ElementsAre(HasSubstr("match:")))
            << bad;
        EXPECT_THAT(problems_after([&](Rule& rule) { rule.match = {{"peer", {bad}}}; }), IsEmpty()) << bad;
    }
    EXPECT_THAT(problems_after([](Rule& rule) {
                    rule.match = {{"ip", {"host.example", "", "10.*", "::ffff:10.0.0.1"}}};
                }),
                IsEmpty());
    EXPECT_THAT(problems_after([](Rule& rule) { rule.key = {"a", "b", "a"}; }), ElementsAre(HasSubstr("named twice")));
    EXPECT_THAT(problems_after([](Rule& rule) { rule.key = {""}; }), ElementsAre(HasSubstr("needs a name")));
    EXPECT_THAT(problems_after([](Rule& rule) { rule.key = {"a", "b", "c", "d", "e", "f", "g", "h", "i"}; }),
                ElementsAre(HasSubstr("8 at most")));
}

TEST(RuleSet, NumbersHaveBounds) {
    const auto ban = [](Ban value) { return problems_after([&](Rule& rule) { rule.ban = value; }); };
    EXPECT_THAT(ban({.denials = 1, .within = 1s, .duration = 1s, .silent = false}), IsEmpty());
    EXPECT_THAT(ban({.denials = kBanDenialsMax, .within = kPeriodMax, .duration = kPeriodMax, .silent = false}),
                IsEmpty());
    EXPECT_THAT(ban({.denials = 0, .within = 1s, .duration = 1s, .silent = false}), ElementsAre(HasSubstr("denials")));
    EXPECT_THAT(ban({.denials = kBanDenialsMax + 1, .within = 1s, .duration = 1s, .silent = false}),
                ElementsAre(HasSubstr("32767")));
    EXPECT_THAT(ban({.denials = 1, .within = 0s, .duration = -1s, .silent = false}),
                ElementsAre(HasSubstr("within"), HasSubstr("for")));
    EXPECT_THAT(problems_after([](Rule& rule) { rule.cost = 0; }), ElementsAre(HasSubstr("cost:")));
    EXPECT_THAT(problems_after([](Rule& rule) { rule.cost = kCostMax + 1; }), ElementsAre(HasSubstr("cost:")));
    for (const int prefix : {0, -1, 129}) {
        EXPECT_THAT(problems({good()}, {.ipv6_prefix = prefix}), ElementsAre(HasSubstr("1 to 128")));
    }
}

TEST(RuleSet, AllProblemsComeAtOnce) {
    Rule first = good("bad name");
    first.cost = 0;
    Rule second = good("b");
    second.limits.clear();
    second.key = {"x", "x"};
    EXPECT_THAT(problems({first, second}, {.ipv6_prefix = 0}),
                ElementsAre(HasSubstr("ipv6_prefix"), HasSubstr("name:"), HasSubstr("cost:"), HasSubstr("key:"),
                            HasSubstr("limits:")));
}

TEST(RuleSet, ManyRulesAndNamesAreBounded) {
    std::vector<Rule> rules;
    for (int i = 0; i < 1'001; ++i) {
        rules.push_back(good("r" + std::to_string(i)));
        rules.back().key = {"attribute" + std::to_string(i)};
    }
    EXPECT_THAT(problems(rules), ElementsAre(HasSubstr("1000 at most")));
    rules.pop_back();
    EXPECT_THAT(problems(rules), IsEmpty());
    EXPECT_THAT(problems(std::vector<Rule>(kRulesMax + 1)), ElementsAre(HasSubstr("100000 at most")));
}

}  // namespace
}  // namespace stint::inline v0
