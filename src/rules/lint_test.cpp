#include "rules/lint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "rules/limit_relations.hpp"
#include "rules/pattern_relations.hpp"

namespace stint::inline v0::rules {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> warnings(const std::string& lines) {
    std::vector<std::string> result;
    const RuleSet set = parse_rules("version: 1\nrules:\n  - name: a\n" + lines);
    for (const Finding& finding : lint(set)) result.push_back(finding.reason);
    return result;
}

const std::string kLimit = "    limits: [{limit: 5, per: 1m}]\n";

TEST(Lint, SaysNothingOfGoodRules) {
    EXPECT_THAT(lint(load_rules(STINT_SOURCE_DIR "/examples/rules.yaml")), IsEmpty());
    EXPECT_THAT(
        warnings("    match: {path: [/a, \"/b/*\"]}\n    unless: {ip: [10.0.0.0/8, \"2001:db8::/32\"]}\n" + kLimit),
        IsEmpty());
}

TEST(Lint, RulesThatNeverApply) {
    const auto never = HasSubstr("the rule never applies");
    EXPECT_THAT(warnings("    match: {plan: free}\n    unless: {plan: free}\n" + kLimit), ElementsAre(never));
    EXPECT_THAT(warnings("    match: {path: /api/v1/x}\n    unless: {path: \"/api/*\"}\n" + kLimit),
                ElementsAre(never));
    EXPECT_THAT(warnings("    match: {path: \"/api/v1*\"}\n    unless: {path: \"/api/*\"}\n" + kLimit),
                ElementsAre(never));
    EXPECT_THAT(warnings("    match: {ip: 10.1.2.0/24}\n    unless: {ip: 10.0.0.0/8}\n" + kLimit), ElementsAre(never));
    EXPECT_THAT(warnings("    key: [user]\n    unless: {user: \"*\"}\n" + kLimit), ElementsAre(never));
    EXPECT_THAT(warnings("    match: {a: [x, y], b: z}\n    unless: {a: [x, y, w]}\n" + kLimit), ElementsAre(never));
    // These may apply.
    EXPECT_THAT(warnings("    match: {a: [x, y]}\n    unless: {a: [x]}\n" + kLimit), IsEmpty());
    EXPECT_THAT(warnings("    match: {path: \"/api*\"}\n    unless: {path: \"/api/*\"}\n" + kLimit), IsEmpty());
    EXPECT_THAT(warnings("    match: {a: x}\n    unless: {a: x, b: y}\n" + kLimit), IsEmpty());
    EXPECT_THAT(warnings("    match: {ip: 10.0.0.0/8}\n    unless: {ip: 10.1.0.0/16}\n" + kLimit), IsEmpty());
}

TEST(Lint, UnlessThatTakesNothingOut) {
    EXPECT_THAT(warnings("    match: {plan: free}\n    unless: {plan: pro}\n" + kLimit),
                ElementsAre(HasSubstr("takes nothing out")));
    EXPECT_THAT(warnings("    match: {ip: 10.0.0.0/8}\n    unless: {ip: 192.168.0.0/16}\n" + kLimit),
                ElementsAre(HasSubstr("takes nothing out")));
}

TEST(Lint, PatternsThatAreNotWhatTheySeem) {
    EXPECT_THAT(warnings("    match: {ip: 10.1.2.3/8}\n" + kLimit), ElementsAre(HasSubstr("taken as 10.0.0.0/8")));
    EXPECT_THAT(warnings("    match: {ip: \"2001:db8::1/32\"}\n" + kLimit),
                ElementsAre(HasSubstr("taken as 2001:db8::/32")));
    EXPECT_THAT(warnings("    match: {ip: \"2001:DB8:*\"}\n" + kLimit), ElementsAre(HasSubstr("never fits")));
    EXPECT_THAT(warnings("    match: {a: [x, y, x]}\n" + kLimit), ElementsAre(HasSubstr("'x' adds nothing to 'x'")));
    EXPECT_THAT(warnings("    match: {a: [xy, \"x*\"]}\n" + kLimit),
                ElementsAre(HasSubstr("'xy' adds nothing to 'x*'")));
    EXPECT_THAT(warnings("    match: {ip: [10.0.0.0/8, 10.1.1.1]}\n" + kLimit),
                ElementsAre(HasSubstr("'10.1.1.1' adds nothing")));
}

TEST(Lint, LimitsThatDenyEverything) {
    EXPECT_THAT(warnings("    limits: [{limit: 0, per: 1m}]\n"), ElementsAre(HasSubstr("denies every request")));
    EXPECT_THAT(warnings("    cost: 10\n    limits: [{limit: 5, per: 1m}]\n"), ElementsAre(HasSubstr("each costs 10")));
    EXPECT_THAT(warnings("    cost: 10\n    limits: [{algorithm: token_bucket, limit: 5, per: 1m, capacity: 10}]\n"),
                IsEmpty());
}

TEST(Lint, LimitsThatNeverDeny) {
    EXPECT_THAT(warnings("    limits: [{limit: 25, per: 1m}, {limit: 20, per: 1d}]\n"),
                ElementsAre(AllOf(HasSubstr("25 per 1m (sliding_window) never denies"), HasSubstr("20 per 1d"))));
    EXPECT_THAT(warnings("    limits: [{limit: 20, per: 1d}, {limit: 25, per: 1m}]\n"),
                ElementsAre(HasSubstr("25 per 1m")));
    EXPECT_THAT(warnings("    limits: [{limit: 25, per: 1m}, {limit: 200, per: 1d}]\n"), IsEmpty());
    EXPECT_THAT(warnings("    limits: [{limit: 25, per: 1m, count_denied: true}, {limit: 20, per: 1d}]\n"), IsEmpty());
    // Two windows of a day meet in one minute: 40 can come in it.
    EXPECT_THAT(warnings("    limits: [{algorithm: fixed_window, limit: 25, per: 1m}, {algorithm: fixed_window, limit: "
                         "20, per: 1d}]\n"),
                ElementsAre(HasSubstr("25 per 1m (fixed_window) denies only at the edge")));
    EXPECT_THAT(warnings("    limits: [{algorithm: fixed_window, limit: 40, per: 1m}, {algorithm: fixed_window, limit: "
                         "20, per: 1d}]\n"),
                ElementsAre(HasSubstr("never denies")));
    EXPECT_THAT(warnings("    limits: [{algorithm: token_bucket, limit: 10, per: 1s}, {algorithm: token_bucket, limit: "
                         "500, per: 1m, capacity: 5}]\n"),
                ElementsAre(HasSubstr("10 per 1s (token_bucket) never denies")));
    EXPECT_THAT(warnings("    overrides: [{match: {p: x}, limits: [{limit: 90}, {limit: 80}]}]\n"
                         "    limits: [{limit: 25, per: 1m}, {limit: 200, per: 1d}]\n"),
                ElementsAre(HasSubstr("overrides: limits: 90 per 1m")));
}

TEST(Lint, OverridesThatNeverApplyOrChangeNothing) {
    const auto with = [](const std::string& rule, const std::string& overrides) {
        return warnings(rule + "    overrides: [" + overrides + "]\n" + kLimit);
    };
    EXPECT_THAT(with("", "{match: {plan: \"p*\"}, limits: [{limit: 6}]}, {match: {plan: pro}, limits: [{limit: 7}]}"),
                ElementsAre(HasSubstr("override 1 of this rule")));
    EXPECT_THAT(
        with("", "{match: {plan: pro}, limits: [{limit: 6}]}, {match: {plan: pro, x: y}, limits: [{limit: 7}]}"),
        ElementsAre(HasSubstr("override 1 of this rule")));
    EXPECT_THAT(
        with("", "{match: {plan: pro, x: y}, limits: [{limit: 6}]}, {match: {plan: pro}, limits: [{limit: 7}]}"),
        IsEmpty());
    EXPECT_THAT(with("    match: {plan: free}\n", "{match: {plan: pro}, limits: [{limit: 6}]}"),
                ElementsAre(HasSubstr("never applies")));
    EXPECT_THAT(with("    unless: {plan: pro}\n", "{match: {plan: pro}, limits: [{limit: 6}]}"),
                ElementsAre(AllOf(HasSubstr("never applies"), HasSubstr("unless"))));
    EXPECT_THAT(with("", "{match: {plan: pro}, limits: [{limit: 5}]}"), ElementsAre(HasSubstr("changes nothing")));
    // The first is an exception from the second: not useless.
    EXPECT_THAT(with("", "{match: {plan: pro}, limits: [{limit: 5}]}, {match: {plan: \"p*\"}, limits: [{limit: 9}]}"),
                IsEmpty());
}

TEST(Lint, NoRulesAtAll) {
    EXPECT_THAT(lint(RuleSet{}), ElementsAre(::testing::Field(&Finding::reason, HasSubstr("no rules"))));
}

TEST(PatternRelations, CoversIsCertain) {
    EXPECT_TRUE(covers("a", "*", "anything*"));
    EXPECT_TRUE(covers("a", "a*c", "ab*bc"));
    EXPECT_FALSE(covers("a", "a*bc", "a*c"));
    EXPECT_FALSE(covers("a", "abc", "ab*"));
    EXPECT_TRUE(covers("ip", "*", "10.0.0.0/8"));
    EXPECT_FALSE(covers("ip", "10.*", "10.0.0.0/8"));
    EXPECT_TRUE(covers("ip", "::ffff:10.0.0.0/104", "10.2.0.0/16"));
    EXPECT_FALSE(covers("ip", "10.2.0.0/16", "10.0.0.0/8"));
    EXPECT_FALSE(covers("peer", "10.0.0.0/8", "10.1.1.1"));
}

TEST(LimitRelations, CalendarWindowsCountAsTheirShortestAndLongest) {
    const auto calendar = [](std::uint64_t limit, CalendarUnit unit) {
        return Limit::make(
            {.algorithm = Algorithm::fixed_window, .limit = limit, .anchor = Anchor::calendar, .unit = unit});
    };
    EXPECT_EQ(usefulness(Limit::sliding_log(40, 1h), calendar(20, CalendarUnit::day)), Usefulness::useless);
    EXPECT_EQ(usefulness(calendar(20, CalendarUnit::day), Limit::sliding_log(20, 24h)), Usefulness::useful);
    EXPECT_EQ(usefulness(calendar(20, CalendarUnit::day), Limit::sliding_log(20, 48h)), Usefulness::useless);
    EXPECT_EQ(describe(calendar(20, CalendarUnit::day)), "20 per calendar day (fixed_window)");
    EXPECT_EQ(describe(Limit::concurrency(3, 10s)), "3 at a time (concurrency)");
}

}  // namespace
}  // namespace stint::inline v0::rules
