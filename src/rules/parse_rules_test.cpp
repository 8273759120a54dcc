#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/calendar.hpp"
#include "rules/compiled_rules.hpp"
#include "stint/rule.hpp"
#include "support/rule_problems.hpp"

namespace stint::inline v0 {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// One rule named `a` with these lines, which are indented as they must be.
std::string rule(const std::string& lines) {
    return "version: 1\nrules:\n  - name: a\n" + lines;
}

/// One rule with one limit, in flow style.
std::string limit(const std::string& fields) {
    return rule("    limits: [{" + fields + "}]\n");
}

Limit only_limit(const std::string& fields) {
    return parse_rules(limit(fields)).rules().at(0).limits.at(0);
}

// The file of the design's section on rules.
constexpr const char* kExample = R"(version: 1
rules:
  - name: submit                      # three answers a minute for each team
    match: {action: submit}
    key: [team]
    limits:
      - {algorithm: fixed_window, limit: 3, per: 60s}

  - name: invite
    match: {action: invite, plan: [free, trial]}
    key: [user]
    limits:                           # both, or neither
      - {limit: 25, per: 1m}          # sliding_window is the default
      - {limit: 200, per: 1d}
    ban: {denials: 50, within: 10m, for: 24h, silent: true}
    on_store_failure: local

  - name: api
    match: {path: "/api/*"}
    unless: {ip: [10.0.0.0/8]}
    key: [ip]
    limits: [{algorithm: token_bucket, limit: 100, per: 1s, capacity: 200}]
    overrides:
      - match: {plan: pro}
        limits: [{algorithm: token_bucket, limit: 1000, per: 1s}]
    shadow: true
)";

TEST(ParseRules, ReadsTheWholeLanguage) {
    const RuleSet set = parse_rules(kExample);
    ASSERT_EQ(set.rules().size(), 3U);
    EXPECT_EQ(set.options().ipv6_prefix, 64);

    const Rule& submit = set.rules()[0];
    EXPECT_EQ(submit.name, "submit");
    EXPECT_EQ(submit.match[0].attribute, "action");
    EXPECT_THAT(submit.match[0].patterns, ElementsAre("submit"));
    EXPECT_THAT(submit.key, ElementsAre("team"));
    EXPECT_THAT(submit.limits, ElementsAre(Limit::fixed_window(3, 60s)));
    EXPECT_EQ(submit.cost, 1U);
    EXPECT_FALSE(submit.shadow);
    EXPECT_FALSE(submit.ban);

    const Rule& invite = set.rules()[1];
    EXPECT_THAT(invite.match[1].patterns, ElementsAre("free", "trial"));
    EXPECT_THAT(invite.limits, ElementsAre(Limit::sliding_window(25, 1min), Limit::sliding_window(200, 24h)));
    EXPECT_EQ(invite.ban, (Ban{.denials = 50, .within = 10min, .duration = 24h, .silent = true}));
    EXPECT_EQ(invite.on_store_failure, OnStoreFailure::local);

    const Rule& api = set.rules()[2];
    EXPECT_EQ(api.unless[0].attribute, "ip");
    EXPECT_THAT(api.unless[0].patterns, ElementsAre("10.0.0.0/8"));
    EXPECT_THAT(api.limits, ElementsAre(Limit::token_bucket(100, 1s, 200)));
    EXPECT_THAT(api.overrides.at(0).limits, ElementsAre(Limit::token_bucket(1000, 1s)));
    EXPECT_TRUE(api.shadow);
}

TEST(ParseRules, ReadsEveryKindOfLimit) {
    EXPECT_EQ(only_limit("algorithm: fixed_window, limit: 3, per: 1m, anchor: clock"),
              Limit::fixed_window(3, 1min, Anchor::clock));
    EXPECT_EQ(only_limit("limit: 3, per: 1m, mode: weighted, buckets: 1"),
              Limit::make({.limit = 3, .per = 1min, .mode = WindowMode::weighted, .buckets = 1}));
    EXPECT_EQ(only_limit("algorithm: sliding_log, limit: 3, per: 250ms"), Limit::sliding_log(3, 250ms));
    EXPECT_EQ(only_limit("algorithm: concurrency, limit: 3, lease: 30s"), Limit::concurrency(3, 30s));
    const Limit calendar =
        only_limit("algorithm: fixed_window, limit: 3, anchor: calendar, unit: month, timezone: Europe/Berlin");
    EXPECT_EQ(calendar.unit(), CalendarUnit::month);
    EXPECT_EQ(calendar.calendar()->timezone(), "Europe/Berlin");
    EXPECT_EQ(only_limit("algorithm: fixed_window, limit: 3, anchor: calendar, unit: day").calendar()->timezone(),
              "UTC");
    EXPECT_TRUE(only_limit("limit: 3, per: 1m, count_denied: true").count_denied());
    EXPECT_EQ(only_limit("limit: 0, per: 1m").limit(), 0U);
}

TEST(ParseRules, TheRuleSpeaksForItsLimits) {
    const RuleSet set = parse_rules(rule(R"(    timezone: Asia/Tokyo
    count_denied: true
    limits:
      - {algorithm: fixed_window, limit: 100, anchor: calendar, unit: day}
      - {algorithm: fixed_window, limit: 900, anchor: calendar, unit: week, timezone: UTC}
      - {limit: 5, per: 1s, count_denied: false}
      - {algorithm: concurrency, limit: 2, lease: 10s}
)"));
    const auto& limits = set.rules()[0].limits;
    EXPECT_EQ(limits[0].calendar()->timezone(), "Asia/Tokyo");
    EXPECT_EQ(limits[1].calendar()->timezone(), "UTC");
    EXPECT_TRUE(limits[0].count_denied());
    EXPECT_FALSE(limits[2].count_denied());
    EXPECT_FALSE(limits[3].count_denied());
    EXPECT_THAT(rule_problems(rule("    timezone: UTC\n    limits: [{limit: 1, per: 1s}]\n")),
                ElementsAre(StartsWith("f.yaml:4:15: timezone:")));
}

TEST(ParseRules, ValuesAreTextAsItIsWritten) {
    const RuleSet set = parse_rules(
        rule("    match: {a: yes, b: 010, c: 1.50, d: \"\", e: 'x: y', f: [true, \"\\x80\"], g: 0x1F, h: \"\\0\"}\n"
             "    limits: [{limit: 1, per: 1s}]\n"));
    std::vector<std::string> values;
    for (const Condition& condition : set.rules()[0].match) {
        values.insert(values.end(), condition.patterns.begin(), condition.patterns.end());
    }
    EXPECT_THAT(values,
                ElementsAre("yes", "010", "1.50", "", "x: y", "true", "\xc2\x80", "0x1F", std::string(1, '\0')));
}

// behaviours B19
TEST(ParseRules, NonsenseNumbersAreRefusedWithTheirPlace) {
    const auto only = [](const std::string& fields) {
        const auto all = rule_problems(limit(fields));
        return all.size() == 1 ? all[0] : "problems: " + std::to_string(all.size());
    };
    EXPECT_THAT(only("limit: -1, per: 1s"), AllOf(StartsWith("f.yaml:4:22: limit:"), HasSubstr("negative")));
    EXPECT_THAT(only("limit: 1.5, per: 1s"), AllOf(StartsWith("f.yaml:4:22: limit:"), HasSubstr("whole number")));
    EXPECT_THAT(only("limit: \"50.\", per: 1s"), StartsWith("f.yaml:4:22: limit:"));
    EXPECT_THAT(only("limit: 50., per: 1s"), StartsWith("f.yaml:4:22: limit:"));
    EXPECT_THAT(only("limit: .nan, per: 1s"), StartsWith("f.yaml:4:22: limit:"));
    EXPECT_THAT(only("limit: 1e3, per: 1s"), StartsWith("f.yaml:4:22: limit:"));
    EXPECT_THAT(only("limit: 1_000, per: 1s"), StartsWith("f.yaml:4:22: limit:"));
    EXPECT_THAT(only("limit: 010, per: 1s"), HasSubstr("octal"));
    EXPECT_THAT(only("limit: 0x10, per: 1s"), StartsWith("f.yaml:4:22: limit:"));
    EXPECT_THAT(only("limit: \"3\", per: 1s"), HasSubstr("quotes"));
    EXPECT_THAT(only("limit: yes, per: 1s"), StartsWith("f.yaml:4:22: limit:"));
    EXPECT_THAT(only("limit: , per: 1s"), HasSubstr("limit: has no value"));
    EXPECT_THAT(only("limit: [3], per: 1s"), HasSubstr("limit: expected one value, got a list"));
    EXPECT_THAT(only("limit: !!int 3, per: 1s"), HasSubstr("tag"));
    EXPECT_THAT(only("per: 1s"), StartsWith("f.yaml:4:14: a limit needs `limit`"));
}

TEST(ParseRules, NumbersThatAreTooLargeNameTheLargestPossible) {
    const auto only = [](const std::string& fields) { return rule_problems(limit(fields)).at(0); };
    EXPECT_THAT(only("limit: 18446744073709551616, per: 1s"), HasSubstr("largest possible is 4294967295"));
    EXPECT_THAT(only("limit: 4294967296, per: 1s"), HasSubstr("largest possible is 4294967295"));
    EXPECT_EQ(only_limit("limit: 4294967295, per: 1s").limit(), 4'294'967'295U);
    EXPECT_THAT(only("algorithm: sliding_log, limit: 1000001, per: 1s"), HasSubstr("largest possible is 1000000"));
    EXPECT_THAT(only("algorithm: concurrency, limit: 100001, lease: 1s"), HasSubstr("largest possible is 100000"));
    EXPECT_THAT(only("algorithm: token_bucket, limit: 99999999999999999999999, per: 1s"),
                HasSubstr("largest possible is 1125899906842624"));
    EXPECT_THAT(only("algorithm: token_bucket, limit: 1, per: 1d, capacity: 1000000000"),
                AllOf(StartsWith("f.yaml:4:69: capacity:"), HasSubstr("largest possible is")));
    EXPECT_THAT(only("limit: 1, per: 1s, buckets: 1441"), HasSubstr("largest possible is 1440"));
    EXPECT_THAT(only("limit: 1, per: 1s, buckets: 0"), HasSubstr("smallest possible is 1"));
}

TEST(ParseRules, PeriodsMustBeATime) {
    const auto only = [](const std::string& fields) {
        const auto all = rule_problems(limit(fields));
        return all.size() == 1 ? all[0] : "problems: " + std::to_string(all.size());
    };
    for (const char* per : {"0s", "-5s", "60", "1.5h", "soon", "1y", "\"\"", "0", "999999999999w"}) {
        EXPECT_THAT(only(std::string{"limit: 1, per: "} + per), StartsWith("f.yaml:4:30: per:")) << per;
    }
    EXPECT_THAT(only("limit: 1"), StartsWith("f.yaml:4:14: per:"));
    EXPECT_EQ(only_limit("limit: 1, per: 15 minute"), only_limit("limit: 1, per: 15 minutes"));
    EXPECT_EQ(only_limit("limit: 1, per: 15 minute"), Limit::sliding_window(1, 15min));
}

TEST(ParseRules, UnknownKeysAreRefusedWithASuggestion) {
    EXPECT_THAT(
        rule_problems(limit("limit: 1, per: 1s, request_per_unit: 3")),
        ElementsAre(AllOf(StartsWith("f.yaml:4:34: unknown key 'request_per_unit'"), HasSubstr("known: algorithm"))));
    EXPECT_THAT(rule_problems(limit("limits: 1, limit: 1, per: 1s")), ElementsAre(HasSubstr("did you mean 'limit'?")));
    EXPECT_THAT(rule_problems(limit("limit: 1, pre: 1s, per: 1s")), ElementsAre(HasSubstr("did you mean 'per'?")));
    EXPECT_THAT(rule_problems(limit("algoritm: fixed_window, limit: 1, per: 1s")),
                ElementsAre(HasSubstr("did you mean 'algorithm'?")));
    EXPECT_THAT(rule_problems(limit("algorithm: token_buckets, limit: 1, per: 1s")),
                ElementsAre(HasSubstr("did you mean 'token_bucket'?")));
    EXPECT_THAT(rule_problems(rule("    macth: {a: b}\n    limits: [{limit: 1, per: 1s}]\n")),
                ElementsAre("f.yaml:4:5: unknown key 'macth' in a rule; did you mean 'match'?"));
    EXPECT_THAT(rule_problems("version: 1\nstore: {}\nrules: []\n"),
                ElementsAre(StartsWith("f.yaml:2:1: unknown key 'store'")));
    EXPECT_THAT(rule_problems(rule("    on_store_failure: alow\n    limits: [{limit: 1, per: 1s}]\n")),
                ElementsAre(HasSubstr("did you mean 'allow'?")));
    EXPECT_THAT(rule_problems(rule("    <<: {shadow: true}\n    limits: [{limit: 1, per: 1s}]\n")),
                ElementsAre(StartsWith("f.yaml:4:5: unknown key '<<'")));
}

TEST(ParseRules, KeysGivenTwiceAreRefused) {
    EXPECT_THAT(rule_problems(limit("limit: 1, per: 1s, limit: 2")),
                ElementsAre("f.yaml:4:34: 'limit' is given twice; first in line 4"));
    EXPECT_THAT(rule_problems(rule("    match: {a: x, b: y, a: z}\n    limits: [{limit: 1, per: 1s}]\n")),
                ElementsAre(StartsWith("f.yaml:4:25: match: 'a' is given twice")));
    EXPECT_THAT(rule_problems("version: 1\nrules: []\nrules: []\n"),
                ElementsAre("f.yaml:3:1: 'rules' is given twice; first in line 2"));
}

TEST(ParseRules, BooleansAreTrueOrFalse) {
    for (const char* value : {"yes", "on", "1", "True", "\"true\"", "~"}) {
        EXPECT_THAT(rule_problems(rule(std::string{"    shadow: "} + value + "\n    limits: [{limit: 1, per: 1s}]\n")),
                    ElementsAre(StartsWith("f.yaml:4:13: shadow:")))
            << value;
    }
}

TEST(ParseRules, KeysThatAKindOfLimitDoesNotHaveAreRefused) {
    const auto only = [](const std::string& fields) {
        const auto all = rule_problems(limit(fields));
        return all.size() == 1 ? all[0] : "problems: " + std::to_string(all.size());
    };
    EXPECT_THAT(only("limit: 1, per: 1s, capacity: 5"), HasSubstr("only token_bucket has one; this limit is a "
                                                                  "sliding_window (the default)"));
    EXPECT_THAT(only("limit: 1, per: 1s, anchor: first"), HasSubstr("anchor: only fixed_window"));
    EXPECT_THAT(only("algorithm: fixed_window, limit: 1, per: 1s, buckets: 60"), HasSubstr("buckets: only"));
    EXPECT_THAT(only("algorithm: token_bucket, limit: 1, per: 1s, mode: strict"), HasSubstr("mode: only"));
    EXPECT_THAT(only("algorithm: token_bucket, limit: 1, per: 1s, lease: 1s"), HasSubstr("lease: only concurrency"));
    EXPECT_THAT(only("algorithm: fixed_window, limit: 1, anchor: calendar, unit: day, per: 1d"),
                HasSubstr("per: only"));
    EXPECT_THAT(only("algorithm: fixed_window, limit: 1, per: 1d, unit: day"), HasSubstr("unit: only"));
    EXPECT_THAT(only("algorithm: fixed_window, limit: 1, anchor: calendar"), HasSubstr("unit: missing"));
    EXPECT_THAT(only("algorithm: fixed_window, limit: 1, anchor: calendar, unit: day, timezone: Mars/Base"),
                AllOf(StartsWith("f.yaml:4:89: timezone:"), HasSubstr("Mars/Base")));
    EXPECT_THAT(only("algorithm: concurrency, limit: 1"), HasSubstr("lease: missing"));
    EXPECT_THAT(only("algorithm: concurrency, limit: 1, lease: 1s, count_denied: true"), HasSubstr("count_denied"));
}

TEST(ParseRules, OverridesChangeNumbersOnly) {
    const auto with = [](const std::string& override_limits) {
        return rule(
            "    limits: [{algorithm: token_bucket, limit: 100, per: 1s, capacity: 200}, {limit: 9, per: 1m}]\n"
            "    overrides:\n"
            "      - match: {plan: pro}\n"
            "        limits: [" +
            override_limits + "]\n");
    };
    const auto limits = [&](const std::string& text) { return parse_rules(with(text)).rules()[0].overrides[0].limits; };
    // What is left out is the rule's; a capacity left out is the limit.
    EXPECT_THAT(limits("{limit: 7}, {limit: 8}"),
                ElementsAre(Limit::token_bucket(7, 1s, 7), Limit::sliding_window(8, 1min)));
    EXPECT_THAT(limits("{limit: 7, capacity: 9}, {algorithm: sliding_window, limit: 8, per: 60s}"),
                ElementsAre(Limit::token_bucket(7, 1s, 9), Limit::sliding_window(8, 1min)));
    EXPECT_THAT(rule_problems(with("{limit: 7, per: 2s}, {limit: 8}")),
                ElementsAre(AllOf(StartsWith("f.yaml:7:34: per:"), HasSubstr("numbers only"), HasSubstr("1s"))));
    EXPECT_THAT(rule_problems(with("{algorithm: fixed_window, limit: 7}, {limit: 8}")),
                ElementsAre(StartsWith("f.yaml:7:30: algorithm:")));
    EXPECT_THAT(rule_problems(with("{limit: 7}")),
                ElementsAre(StartsWith("f.yaml:7:17: limits: 1 given, but the rule has 2")));
    EXPECT_THAT(rule_problems(with("{limit: 7}, {limit: 8, buckets: 30}")),
                ElementsAre(StartsWith("f.yaml:7:50: buckets:")));
    EXPECT_THAT(rule_problems(with("{limit: 7}, {limit: 8, capacity: 30}")),
                ElementsAre(StartsWith("f.yaml:7:51: capacity:")));
    EXPECT_THAT(rule_problems(with("{capacity: 7}, {limit: 8}")), ElementsAre(HasSubstr("a limit needs `limit`")));
    EXPECT_THAT(rule_problems(with("{limit: 7, count_denied: true}, {limit: 8}")),
                ElementsAre(HasSubstr("count_denied:")));
}

TEST(ParseRules, MeaningIsCheckedWithItsPlace) {
    EXPECT_THAT(rule_problems(limit("limit: 1, per: 1m}, {limit: 2, per: 60s")),
                ElementsAre("f.yaml:4:35: limits: two limits of one kind, sliding_window per 1m (mode strict, buckets "
                            "60), would share a counter"));
    EXPECT_THAT(rule_problems("version: 1\nrules:\n- name: a b\n  limits: [{limit: 1, per: 1s}]\n"),
                ElementsAre(StartsWith("f.yaml:3:9: name: 'a b' is not possible")));
    EXPECT_THAT(rule_problems("version: 1\nrules:\n- name: a\n  limits: [{limit: 1, per: 1s}]\n- name: a\n  limits: "
                              "[{limit: 1, per: 1s}]\n"),
                ElementsAre("f.yaml:5:9: name: 'a' is the name of two rules; the first is f.yaml:3:9"));
    const std::string tail = "    limits: [{limit: 1, per: 1s}]\n";
    EXPECT_THAT(rule_problems(rule("    unless: {x: y, ip: [10.0.0.0/8, 10.0.0.0/33]}\n" + tail)),
                ElementsAre(AllOf(StartsWith("f.yaml:4:37: unless:"), HasSubstr("0 to 32"))));
    EXPECT_THAT(rule_problems(rule("    match: {ip: 01.2.3.4}\n" + tail)),
                ElementsAre(StartsWith("f.yaml:4:17: match:")));
    EXPECT_THAT(rule_problems(rule("    match: {ip: []}\n" + tail)), ElementsAre(HasSubstr("empty list")));
    EXPECT_THAT(rule_problems(rule("    match: {plan: ~}\n" + tail)), ElementsAre(HasSubstr("plan: has no value")));
    EXPECT_THAT(rule_problems(rule("    unless: {}\n" + tail)), ElementsAre(StartsWith("f.yaml:4:13: unless:")));
    EXPECT_THAT(rule_problems(rule("    key: [user, user]\n" + tail)), ElementsAre(StartsWith("f.yaml:4:17: key:")));
    EXPECT_THAT(rule_problems(rule("    key: user\n" + tail)), ElementsAre(HasSubstr("[user]")));
    EXPECT_THAT(rule_problems(rule("    cost: 0\n" + tail)), ElementsAre(StartsWith("f.yaml:4:11: cost:")));
    EXPECT_THAT(rule_problems(rule("    ban: {denials: 0, within: 1m, for: 1h}\n" + tail)),
                ElementsAre(StartsWith("f.yaml:4:20: denials:")));
    EXPECT_THAT(rule_problems(rule("    ban: {denials: 1, within: 1m}\n" + tail)),
                ElementsAre(HasSubstr("a ban needs `for`")));
    EXPECT_THAT(rule_problems("version: 1\nrules:\n  - name: a\n"), ElementsAre(HasSubstr("a rule needs `limits`")));
    EXPECT_THAT(rule_problems(rule("    limits: []\n")), ElementsAre(HasSubstr("at least one limit")));
    EXPECT_THAT(rule_problems("version: 2\nrules: []\n"), ElementsAre(StartsWith("f.yaml:1:10: version: expected 1")));
    EXPECT_THAT(rule_problems("rules: []\n"), ElementsAre(HasSubstr("needs `version`")));
    EXPECT_THAT(rule_problems("version: 1\nipv6_prefix: 129\nrules: []\n"),
                ElementsAre(StartsWith("f.yaml:2:14: ipv6_prefix:")));
}

TEST(ParseRules, AllProblemsComeAtOnceInOrder) {
    EXPECT_THAT(rule_problems("version: 1\n"
                              "rules:\n"
                              "  - name: a\n"
                              "    limits: [{limit: -1, per: 0s}]\n"
                              "    shadow: maybe\n"
                              "  - name: a\n"
                              "    match: {ip: 1.2.3.4/40}\n"
                              "    limits: [{limit: 1, per: 1s}]\n"),
                ElementsAre(StartsWith("f.yaml:4:22: limit:"), StartsWith("f.yaml:4:31: per:"),
                            StartsWith("f.yaml:5:13: shadow:"), StartsWith("f.yaml:6:11: name:"),
                            StartsWith("f.yaml:7:17: match:")));
}

TEST(ParseRules, AProblemInOnePartHidesNoneInAnother) {
    EXPECT_THAT(rule_problems("version: 1\n"
                              "rules:\n"
                              "  - name: a\n"
                              "    match: {ip: 1.2.3.4/40}\n"
                              "    limits: [{limit: -1, per: 1s}]\n"),
                ElementsAre(StartsWith("f.yaml:4:17: match:"), StartsWith("f.yaml:5:22: limit:")));
}

TEST(ParseRules, WhatIsNoRuleFileIsRefused) {
    EXPECT_THAT(rule_problems(""), ElementsAre(StartsWith("f.yaml:1:1: ")));
    EXPECT_THAT(rule_problems("# only a comment\n"), ElementsAre(StartsWith("f.yaml:")));
    EXPECT_THAT(rule_problems("just text"), ElementsAre(HasSubstr("expected a rule file (a mapping)")));
    EXPECT_THAT(rule_problems("- a list\n"), ElementsAre(HasSubstr("got a list")));
    EXPECT_THAT(rule_problems("version: 1\nrules: [\n"), ElementsAre(HasSubstr("this is no YAML")));
    EXPECT_THAT(rule_problems("version: 1\nrules: []\n---\nversion: 1\nrules: []\n"),
                ElementsAre(HasSubstr("second YAML document")));
    EXPECT_FALSE(rule_problems(",es:g\n").empty());  // yaml-cpp's LoadAll would never come back
    EXPECT_THAT(rule_problems("version: 1\nrules: {}\n"),
                ElementsAre(StartsWith("f.yaml:2:8: rules: expected a list")));
    EXPECT_THAT(rule_problems("version: 1\nrules: [5]\n"), ElementsAre(StartsWith("f.yaml:2:9: expected a rule")));
    EXPECT_THAT(rule_problems("version: 1\nrules: []\nx\x04y"),
                ElementsAre(AllOf(StartsWith("f.yaml:3:2: "), HasSubstr("0x04"))));
    EXPECT_THAT(rule_problems("version: 1\nrules: [] # \xff\n"),
                ElementsAre(AllOf(StartsWith("f.yaml:2:13: "), HasSubstr("UTF-8"))));
    EXPECT_THAT(rule_problems(std::string("version: 1\0\nrules: []\n", 22)), ElementsAre(HasSubstr("0x00")));
    EXPECT_THAT(rule_problems(std::string(std::size_t{16'777'217}, '#')), ElementsAre(HasSubstr("too large")));
    EXPECT_EQ(parse_rules("version: 1\nrules: []\n").rules().size(), 0U);
    EXPECT_EQ(parse_rules("\xef\xbb\xbfversion: 1\nrules: []\n").rules().size(), 0U);
}

TEST(ParseRules, AliasesWorkButCannotExplode) {
    const RuleSet set = parse_rules(
        "version: 1\nrules:\n  - {name: a, limits: &std [{limit: 1, per: 1s}]}\n  - {name: b, limits: *std}\n");
    EXPECT_EQ(set.rules()[1].limits, set.rules()[0].limits);
    std::string bomb =
        "version: 1\nrules:\n  - name: a\n    match:\n      x: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
    bomb += "    overrides: &o [{match: {x: *a0}, limits: [{limit: 1}]}";
    for (int i = 0; i < 400; ++i) bomb += ", {match: {x: *a0}, limits: [{limit: 1}]}";
    bomb += "]\n    limits: [{limit: 1, per: 1s}]\n";
    for (int i = 0; i < 400; ++i)
        bomb += "  - {name: r" + std::to_string(i) + ", overrides: *o, limits: [{limit: 1, per: 1s}]}\n";
    EXPECT_THAT(rule_problems(bomb), ElementsAre(HasSubstr("aliases repeat more")));
    EXPECT_THAT(rule_problems("version: 1\nrules: &r\n  - *r\n"), ElementsAre(HasSubstr("expected a rule")));
    EXPECT_THAT(rule_problems("version: 1\nrules: " + std::string(20'000, '[')),
                ElementsAre(HasSubstr("nested too deeply")));
    std::string many = "version: 1\nrules: [x";
    for (int i = 0; i < 20'000; ++i) many += ",x";
    EXPECT_EQ(rule_problems(many + "]").size(), 10'001U);
}

}  // namespace
}  // namespace stint::inline v0
