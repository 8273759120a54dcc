#include "rules/compiled_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "stint/error.hpp"

namespace stint::inline v0::rules {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Limit per_minute(std::uint64_t limit) {
    return Limit::fixed_window(limit, 1min);
}

Rule make_rule(std::string name, Conditions match, std::vector<std::string> key = {}) {
    Rule rule;
    rule.name = std::move(name);
    rule.match = std::move(match);
    rule.key = std::move(key);
    rule.limits = {per_minute(2)};
    return rule;
}

std::vector<std::string> names(const RuleSet& set, const std::vector<Attribute>& attributes) {
    ResolvedRequest request;
    MatchList matches;
    set.compiled().resolve(attributes, request);
    set.compiled().match(request, matches);
    std::vector<std::string> result;
    for (const std::uint32_t index : matches) result.push_back(set.compiled().rule(index).rule->name);
    return result;
}

std::string key_of(const RuleSet& set, std::string_view rule, const std::vector<Attribute>& attributes) {
    ResolvedRequest request;
    KeyBuffer buffer;
    set.compiled().resolve(attributes, request);
    return std::string{set.compiled().encode_key(*set.compiled().find(rule), request, buffer)};
}

std::uint64_t numbers_of(const RuleSet& set, const std::vector<Attribute>& attributes) {
    ResolvedRequest request;
    set.compiled().resolve(attributes, request);
    return set.compiled().counters(set.compiled().rule(0), request)[0].limit.limit();
}

TEST(CompiledRules, AllRulesThatFitApplyInOrder) {
    const RuleSet set{{make_rule("all", {}), make_rule("exact", {{"action", {"submit"}}}),
                       make_rule("list", {{"plan", {"free", "trial"}}}), make_rule("glob", {{"path", {"/api/*"}}}),
                       make_rule("both", {{"action", {"submit"}}, {"plan", {"free"}}})}};
    EXPECT_THAT(names(set, {}), ElementsAre("all"));
    EXPECT_THAT(names(set, {{"action", "submit"}}), ElementsAre("all", "exact"));
    EXPECT_THAT(names(set, {{"plan", "trial"}, {"action", "submit"}}), ElementsAre("all", "exact", "list"));
    EXPECT_THAT(names(set, {{"plan", "free"}, {"action", "submit"}, {"path", "/api/"}}),
                ElementsAre("all", "exact", "list", "glob", "both"));
    EXPECT_THAT(names(set, {{"path", "/api"}, {"plan", "pro"}}), ElementsAre("all"));
}

TEST(CompiledRules, UnlessTakesARequestOutWhenAllOfItHolds) {
    Rule rule = make_rule("api", {{"path", {"/api/*"}}});
    rule.unless = {{"ip", {"10.0.0.0/8", "2001:db8::/32"}}, {"internal", {"*"}}};
    const RuleSet set{{rule}};
    EXPECT_THAT(names(set, {{"path", "/api/x"}, {"ip", "10.1.2.3"}, {"internal", ""}}), IsEmpty());
    EXPECT_THAT(names(set, {{"path", "/api/x"}, {"ip", "::ffff:10.1.2.3"}, {"internal", "1"}}), IsEmpty());
    EXPECT_THAT(names(set, {{"path", "/api/x"}, {"ip", "10.1.2.3"}}), ElementsAre("api"));
    EXPECT_THAT(names(set, {{"path", "/api/x"}, {"ip", "192.0.2.1"}, {"internal", "1"}}), ElementsAre("api"));
    EXPECT_THAT(names(set, {{"path", "/api/x"}, {"internal", "1"}}), ElementsAre("api"));
}

TEST(CompiledRules, EmptyIsAValueAndMissingIsNot) {
    const RuleSet set{{make_rule("user", {}, {"user"}), make_rule("nobody", {{"user", {""}}}),
                       make_rule("anybody", {{"user", {"*"}}})}};
    EXPECT_THAT(names(set, {}), IsEmpty());
    EXPECT_THAT(names(set, {{"user", ""}}), ElementsAre("user", "nobody", "anybody"));
    EXPECT_THAT(names(set, {{"user", std::string_view{}}}), ElementsAre("user", "nobody", "anybody"));
    EXPECT_THAT(names(set, {{"user", "x"}}), ElementsAre("user", "anybody"));
}

TEST(CompiledRules, TheFirstOfEqualNamesCounts) {
    const RuleSet set{{make_rule("a", {{"x", {"1"}}}, {"x"}), make_rule("b", {{"x", {"2"}}}, {"x"})}};
    EXPECT_THAT(names(set, {{"x", "1"}, {"x", "2"}}), ElementsAre("a"));
    EXPECT_THAT(names(set, {{"x", "2"}, {"x", "1"}}), ElementsAre("b"));
    EXPECT_EQ(key_of(set, "a", {{"x", "2"}, {"x", "1"}}), "2");
}

// behaviours B36: name and value are looked at apart.
TEST(CompiledRules, NameAndValueAreNotGluedTogether) {
    const RuleSet set{
        {make_rule("a", {}, {"a"}), make_rule("a_b", {}, {"a_b"}), make_rule("foo", {{"foo", {"bar_baz"}}})}};
    EXPECT_THAT(names(set, {{"a", "b_c"}}), ElementsAre("a"));
    EXPECT_THAT(names(set, {{"a_b", "c"}}), ElementsAre("a_b"));
    EXPECT_THAT(names(set, {{"foo_bar", "baz"}}), IsEmpty());
    EXPECT_THAT(names(set, {{"foo", "bar_baz"}}), ElementsAre("foo"));
    EXPECT_NE(set.compiled().rule(0).counters[0].id, set.compiled().rule(1).counters[0].id);
}

TEST(CompiledRules, NoTwoKeysAreAlike) {
    const RuleSet set{{make_rule("pair", {}, {"a", "b"}), make_rule("one", {}, {"a"}), make_rule("none", {})}};
    std::set<std::string> keys;
    const std::vector<std::pair<std::string, std::string>> pairs{
        {"x", "y"}, {"xy", ""}, {"", "xy"}, {"x_", "y"}, {"x", "_y"}, {"", ""}, {std::string(8, '\0'), ""}};
    for (const auto& [a, b] : pairs) keys.insert(key_of(set, "pair", {{"a", a}, {"b", b}}));
    EXPECT_EQ(keys.size(), pairs.size());
    EXPECT_EQ(key_of(set, "pair", {{"b", "z"}, {"a", "x"}}), std::string("\1\0\0\0\0\0\0\0x\1\0\0\0\0\0\0\0z", 18));
    EXPECT_EQ(key_of(set, "one", {{"a", "as it is"}}), "as it is");
    EXPECT_EQ(key_of(set, "none", {{"a", "x"}}), "");
}

// behaviours B38
TEST(CompiledRules, AnyBytesAreAKey) {
    const RuleSet set{{make_rule("pair", {}, {"a", "b"}), make_rule("one", {}, {"a"})}};
    const std::string long_k(10'240, 'k');
    const std::string long_j = std::string(10'239, 'k') + "j";
    const std::vector<std::string> values{"",         " ",    "a b",      "a\r\nSET x 1", std::string("a\0b", 3),
                                          "a:b",      "a::b", "\xc3\xa9", "e\xcc\x81",    "\xf0\x9f\x98\x80",
                                          "\xff\xfe", long_k, long_j};
    std::set<std::string> single;
    std::set<std::string> pairs;
    for (const std::string& value : values) {
        single.insert(key_of(set, "one", {{"a", value}}));
        pairs.insert(key_of(set, "pair", {{"a", value}, {"b", value}}));
    }
    EXPECT_EQ(single.size(), values.size());
    EXPECT_EQ(pairs.size(), values.size());
    EXPECT_EQ(key_of(set, "pair", {{"a", long_k}, {"b", ""}}).size(), 16 + long_k.size());
}

// behaviours B39: the key is cut to the prefix, patterns see the whole address.
TEST(CompiledRules, IpIsNormalisedForTheKeyAndWholeForThePatterns) {
    const RuleSet set{{make_rule("host", {{"ip", {"2001:db8::1"}}}, {"ip"}),
                       make_rule("net", {{"ip", {"2001:db8::/127"}}}, {"ip"}),
                       make_rule("v4", {{"ip", {"192.0.2.0/24"}}}, {"ip"}),
                       make_rule("text", {{"ip", {"2001:db8:*", "host.example"}}}, {"ip"})}};
    EXPECT_THAT(names(set, {{"ip", "2001:DB8:0:0::1"}}), ElementsAre("host", "net", "text"));
    EXPECT_THAT(names(set, {{"ip", "[2001:db8::0]:443"}}), ElementsAre("net", "text"));
    EXPECT_THAT(names(set, {{"ip", "2001:db8::2"}}), ElementsAre("text"));
    EXPECT_EQ(key_of(set, "host", {{"ip", "2001:DB8::1"}}), "2001:db8::");
    EXPECT_THAT(names(set, {{"ip", "::ffff:c000:207"}}), ElementsAre("v4"));
    EXPECT_EQ(key_of(set, "v4", {{"ip", "::ffff:c000:207"}}), "192.0.2.7");
    EXPECT_THAT(names(set, {{"ip", "host.example"}}), ElementsAre("text"));
    EXPECT_EQ(key_of(set, "v4", {{"ip", "01.2.3.4"}}), "01.2.3.4");
    const RuleSet whole{{make_rule("all", {}, {"ip"})}, {.ipv6_prefix = 128}};
    EXPECT_EQ(key_of(whole, "all", {{"ip", "2001:DB8::0:1"}}), "2001:db8::1");
}

TEST(CompiledRules, OnlyTheAttributeIpIsNormalised) {
    const RuleSet set{{make_rule("peer", {{"peer", {"10.0.0.0/8"}}}, {"peer"})}};
    EXPECT_THAT(names(set, {{"peer", "10.1.1.1"}}), IsEmpty());
    EXPECT_THAT(names(set, {{"peer", "10.0.0.0/8"}}), ElementsAre("peer"));
    EXPECT_EQ(key_of(set, "peer", {{"peer", "::ffff:1.2.3.4"}}), "::ffff:1.2.3.4");
}

// behaviours B44, as far as stint has it: globs at every place of the order.
TEST(CompiledRules, GlobsOfEveryShape) {
    const RuleSet set{{make_rule("root", {{"path", {"/"}}}), make_rule("api", {{"path", {"/api/*"}}}),
                       make_rule("v1", {{"path", {"/api/v1*"}}}), make_rule("any", {{"path", {"*"}}}),
                       make_rule("png", {{"path", {"*.png"}}}), make_rule("admin", {{"path", {"*admin*"}}}),
                       make_rule("ends", {{"path", {"/ab*ba/"}}})}};
    EXPECT_THAT(names(set, {{"path", "/"}}), ElementsAre("root", "any"));
    EXPECT_THAT(names(set, {{"path", "/api/a"}}), ElementsAre("api", "any"));
    EXPECT_THAT(names(set, {{"path", "/api/v1/q"}}), ElementsAre("api", "v1", "any"));
    EXPECT_THAT(names(set, {{"path", "/api/v1/admin.png"}}), ElementsAre("api", "v1", "any", "png", "admin"));
    EXPECT_THAT(names(set, {{"path", "/aba/"}}), ElementsAre("any"));
    EXPECT_THAT(names(set, {{"path", "/abba/"}}), ElementsAre("any", "ends"));
}

TEST(CompiledRules, TheFirstOverrideThatFitsGivesTheNumbers) {
    Rule rule = make_rule("api", {});
    rule.overrides = {{.match = {{"plan", {"pro"}}}, .limits = {per_minute(10)}},
                      {.match = {{"plan", {"p*"}}}, .limits = {per_minute(20)}},
                      {.match = {{"ip", {"10.0.0.0/8"}}, {"plan", {"free", "pro"}}}, .limits = {per_minute(30)}}};
    const RuleSet set{{rule}};
    EXPECT_EQ(numbers_of(set, {}), 2U);
    EXPECT_EQ(numbers_of(set, {{"plan", "pro"}}), 10U);
    EXPECT_EQ(numbers_of(set, {{"plan", "pro"}, {"ip", "10.0.0.1"}}), 10U);
    EXPECT_EQ(numbers_of(set, {{"plan", "plus"}}), 20U);
    EXPECT_EQ(numbers_of(set, {{"plan", "free"}, {"ip", "10.0.0.1"}}), 30U);
    EXPECT_EQ(numbers_of(set, {{"plan", "free"}}), 2U);
}

// behaviours B41: identity is name, key and kind; numbers and order are not.
TEST(CompiledRules, CounterIdsFollowNameKeyAndKindOnly) {
    Rule rule = make_rule("api", {{"path", {"/api"}}}, {"user"});
    rule.limits = {per_minute(10), Limit::token_bucket(5, 1s)};
    rule.ban = Ban{.denials = 5, .within = 1min, .duration = 1h, .silent = false};
    rule.overrides = {{.match = {{"plan", {"pro"}}}, .limits = {per_minute(100), Limit::token_bucket(50, 1s, 80)}}};
    const RuleSet before{{rule}};
    Rule changed = rule;
    changed.match = {};
    changed.limits = {Limit::token_bucket(7, 1s, 9), per_minute(3)};
    changed.overrides.clear();
    changed.ban->denials = 9;
    const RuleSet after{{make_rule("other", {}), changed}};
    const CompiledRule& old_rule = *before.compiled().find("api");
    const CompiledRule& new_rule = *after.compiled().find("api");
    EXPECT_EQ(old_rule.counters[0].id, new_rule.counters[1].id);
    EXPECT_EQ(old_rule.counters[1].id, new_rule.counters[0].id);
    EXPECT_EQ(old_rule.ban->id, new_rule.ban->id);
    EXPECT_EQ(old_rule.override_counters[0].id, old_rule.counters[0].id);
    EXPECT_EQ(old_rule.override_counters[1].id, old_rule.counters[1].id);

    std::set<std::uint64_t> ids{old_rule.counters[0].id, old_rule.counters[1].id, old_rule.ban->id};
    Rule other = make_rule("api2", {}, {"user"});
    ids.insert(RuleSet{{other}}.compiled().rule(0).counters[0].id);
    other = make_rule("api", {}, {"use", "r"});
    ids.insert(RuleSet{{other}}.compiled().rule(0).counters[0].id);
    other = make_rule("api", {}, {"user"});
    other.limits = {Limit::fixed_window(10, 1h)};
    ids.insert(RuleSet{{other}}.compiled().rule(0).counters[0].id);
    EXPECT_EQ(ids.size(), 6U);
}

// Stored states are found by these ids: they must not change between versions.
// The value is libxxhash's, asked from Python: XXH3 with seed 0x7374696e74203031
// over "submit", "team" and the kind, each after its length in 8 bytes.
TEST(CompiledRules, CounterIdsAreTheSameInEveryVersion) {
    const RuleSet set{{make_rule("submit", {}, {"team"})}};
    EXPECT_EQ(set.compiled().rule(0).counters[0].limit.kind(), "fixed_window first 60000000");
    // XXH3 of the identity, 0x8d11bd816077495, with the code of a fixed window, 0, in its lowest three bits.
    EXPECT_EQ(set.compiled().rule(0).counters[0].id, 0x8d11bd816077490U);
}

TEST(CompiledRules, FindsRulesByName) {
    const RuleSet set{{make_rule("b", {}), make_rule("a", {}), make_rule("c", {})}};
    EXPECT_EQ(set.compiled().find("a")->index, 1U);
    EXPECT_EQ(set.compiled().find("c")->index, 2U);
    EXPECT_EQ(set.compiled().find("d"), nullptr);
    EXPECT_EQ(set.compiled().find(""), nullptr);
    EXPECT_EQ(RuleSet{}.compiled().size(), 0U);
}

TEST(CompiledRules, AKeyNamesExactlyItsAttributes) {
    const RuleSet set{{make_rule("pair", {}, {"a", "b"}), make_rule("none", {})}};
    const auto names_key = [&](std::string_view rule, const std::vector<Attribute>& key) {
        return set.compiled().names_key(*set.compiled().find(rule), key);
    };
    EXPECT_TRUE(names_key("pair", {{"a", "1"}, {"b", "2"}}));
    EXPECT_TRUE(names_key("pair", {{"b", "1"}, {"a", "2"}}));
    EXPECT_FALSE(names_key("pair", {{"a", "1"}}));
    EXPECT_FALSE(names_key("pair", {{"a", "1"}, {"a", "2"}}));
    EXPECT_FALSE(names_key("pair", {{"a", "1"}, {"b", "2"}, {"c", "3"}}));
    EXPECT_TRUE(names_key("none", {}));
    EXPECT_FALSE(names_key("none", {{"a", "1"}}));
}

TEST(CompiledRules, ARequestMayBeResolvedAgain) {
    const RuleSet set{{make_rule("ip", {{"ip", {"10.0.0.0/8"}}}), make_rule("x", {{"x", {"1"}}})}};
    ResolvedRequest request;
    MatchList matches;
    const std::vector<Attribute> first{{"ip", "10.0.0.1"}, {"x", "1"}};
    set.compiled().resolve(first, request);
    set.compiled().resolve(std::vector<Attribute>{{"ip", "nobody"}}, request);
    set.compiled().match(request, matches);
    EXPECT_THAT(matches, IsEmpty());
}

}  // namespace
}  // namespace stint::inline v0::rules
