// Rules made in code against requests made in code: each rule's own verdict,
// keys as they are counted, clients as they are written.
#include "replay/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace stint::inline v0::replay {
namespace {

using std::chrono::seconds;

AccessRecord request(std::int64_t second, std::string_view ip, std::string_view path = "/") {
    AccessRecord record;
    record.time = Instant{seconds{second}};
    record.set(Field::ip, ip);
    record.set(Field::path, path);
    return record;
}

Rule rule(std::string name, std::uint64_t limit, std::vector<std::string> key = {"ip"}) {
    Rule made;
    made.name = std::move(name);
    made.key = std::move(key);
    made.limits = {Limit::fixed_window(limit, seconds{60}, Anchor::clock)};
    return made;
}

Report run(std::vector<Rule> rules, const std::vector<AccessRecord>& records, std::size_t top = 10) {
    Simulation simulation{RuleSet{std::move(rules)}, {.max_memory = std::size_t{16} << 20, .top = top}};
    for (const AccessRecord& record : records) simulation.feed(record);
    return simulation.report();
}

TEST(Simulation, CountsWhatALimitLetsThrough) {
    std::vector<AccessRecord> records(5, request(0, "10.0.0.1"));
    records.push_back(request(1, "10.0.0.2"));
    records.push_back(request(60, "10.0.0.1"));
    const Report report = run({rule("r", 3)}, records);
    EXPECT_EQ(report.checked, 7U);
    EXPECT_EQ(report.allowed, 5U);
    EXPECT_EQ(report.denied, 2U);
    const RuleReport& found = report.rules.at(0);
    EXPECT_EQ(found.checked, 7U);
    EXPECT_EQ(found.allowed, 5U);
    EXPECT_EQ(found.denied, 2U);
    EXPECT_EQ(found.denied_keys, 1U);
    EXPECT_EQ(found.denied_clients, 1U);
    ASSERT_EQ(found.top.size(), 1U);
    EXPECT_EQ(found.top[0].key.at(0), (std::pair<std::string, std::string>{"ip", "10.0.0.1"}));
    EXPECT_EQ(report.first, Instant{seconds{0}});
    EXPECT_EQ(report.last, Instant{seconds{60}});
}

TEST(Simulation, GivesEachRuleItsOwnVerdict) {
    // `tight` denies the second and third request; `wide` would let both pass,
    // and since none of them is let through, the third still fits.
    const Report report = run({rule("tight", 1), rule("wide", 2)}, std::vector<AccessRecord>(3, request(0, "a")));
    EXPECT_EQ(report.allowed, 1U);
    EXPECT_EQ(report.denied, 2U);
    EXPECT_EQ(report.rules.at(0).denied, 2U);
    EXPECT_EQ(report.rules.at(1).checked, 3U);
    EXPECT_EQ(report.rules.at(1).denied, 0U);
}

TEST(Simulation, DeniesForARuleWhenAnyOfItsLimitsDoes) {
    Rule both = rule("both", 2);
    both.limits.push_back(Limit::sliding_log(3, seconds{600}));
    const Report report = run({both}, {request(0, "a"), request(1, "a"), request(2, "a"), request(60, "a"),
                                       request(61, "a"), request(62, "a")});
    EXPECT_EQ(report.rules.at(0).checked, 6U);
    EXPECT_EQ(report.rules.at(0).allowed, 3U);
}

TEST(Simulation, ReportsShadowRulesAndLetsThemDenyNobody) {
    Rule shadow = rule("shadow", 1);
    shadow.shadow = true;
    const Report report = run({shadow}, std::vector<AccessRecord>(4, request(0, "a")));
    EXPECT_EQ(report.checked, 4U);
    EXPECT_EQ(report.allowed, 4U);
    EXPECT_EQ(report.denied, 0U);
    EXPECT_EQ(report.rules.at(0).denied, 3U);
    EXPECT_TRUE(report.rules.at(0).shadow);
}

TEST(Simulation, DoesNotCheckWhatNoRuleAppliesTo) {
    Rule login = rule("login", 1);
    login.match = {{"path", {"/login*"}}};
    Rule team = rule("team", 1, {"team"});
    const Report report = run({login, team}, {request(0, "a", "/"), request(0, "a", "/login"), request(0, "b", "/x")});
    EXPECT_EQ(report.checked, 1U);
    EXPECT_EQ(report.rules.at(0).checked, 1U);
    EXPECT_EQ(report.rules.at(1).checked, 0U);
}

TEST(Simulation, NamesKeysAsCountedAndClientsAsWritten) {
    const Report report =
        run({rule("r", 1)}, {request(0, "2001:db8::1"), request(1, "2001:db8::2"), request(2, "2001:DB8:0:0::2"),
                             request(3, "::ffff:10.0.0.1"), request(4, "10.0.0.1"), request(5, "host.example")});
    const RuleReport& found = report.rules.at(0);
    EXPECT_EQ(found.denied, 3U);
    EXPECT_EQ(found.denied_keys, 2U);
    ASSERT_EQ(found.top.size(), 2U);
    EXPECT_EQ(found.top[0].key.at(0).second, "2001:db8::");
    EXPECT_EQ(found.top[0].denied, 2U);
    EXPECT_EQ(found.top[1].key.at(0).second, "10.0.0.1");
    EXPECT_EQ(found.denied_clients, 3U);
    EXPECT_EQ(found.top_clients.at(0).ip, "10.0.0.1");
    EXPECT_EQ(found.top_clients.at(1).ip, "2001:DB8:0:0::2");
    EXPECT_EQ(found.top_clients.at(2).ip, "2001:db8::2");
}

TEST(Simulation, OrdersTiesByTheBytesOfEachValue) {
    std::vector<AccessRecord> records;
    for (const auto& [ip, path] : {std::pair{"b", "/"}, {"aa", "/"}, {"a", "/z"}, {"a", "/"}, {"\xFF", ""}}) {
        for (int i = 0; i < 2; ++i) records.push_back(request(i, ip, path));
    }
    const Report report = run({rule("r", 1, {"ip", "path"})}, records);
    std::string order;
    for (const KeyCount& top : report.rules.at(0).top) order += top.key.at(0).second + top.key.at(1).second + " ";
    EXPECT_EQ(order, "a/ a/z aa/ b/ \xFF ");
}

TEST(Simulation, CountsEverybodyTogetherForAnEmptyKey) {
    const Report report = run({rule("site", 1, {})}, {request(0, "a"), request(0, "b"), request(0, "c")});
    EXPECT_EQ(report.rules.at(0).denied_keys, 1U);
    EXPECT_TRUE(report.rules.at(0).top.at(0).key.empty());
    EXPECT_EQ(report.rules.at(0).top.at(0).denied, 2U);
    EXPECT_EQ(report.rules.at(0).denied_clients, 2U);
}

TEST(Simulation, ListsNoMoreThanAskedFor) {
    std::vector<AccessRecord> records;
    for (const char* ip : {"a", "b", "c", "c"}) records.insert(records.end(), 2, request(0, ip));
    const Report report = run({rule("r", 1)}, records, 2);
    EXPECT_EQ(report.rules.at(0).denied_keys, 3U);
    ASSERT_EQ(report.rules.at(0).top.size(), 2U);
    EXPECT_EQ(report.rules.at(0).top[0].key.at(0).second, "c");
    EXPECT_EQ(report.rules.at(0).top[0].denied, 3U);
    EXPECT_EQ(report.rules.at(0).top_clients.size(), 2U);
    EXPECT_TRUE(run({rule("r", 1)}, records, 0).rules.at(0).top.empty());
}

TEST(Simulation, FindsTheWorstMinuteAndOfEqualOnesTheEarliest) {
    const Report report = run({rule("r", 1)}, {request(600, "a"), request(601, "a"), request(30, "a"), request(31, "a"),
                                               request(32, "b"), request(33, "b"), request(602, "a")});
    // 600: 2 denied. Then the clock steps back: the key stays in its window of
    // minute 10, so both of `a` are denied, and one of `b`.
    ASSERT_TRUE(report.rules.at(0).worst_minute);
    EXPECT_EQ(report.rules.at(0).worst_minute->start, Instant{seconds{0}});
    EXPECT_EQ(report.rules.at(0).worst_minute->denied, 3U);
    EXPECT_EQ(run({rule("r", 1)}, {request(0, "a")}).rules.at(0).worst_minute, std::nullopt);
    const Report even = run({rule("r", 1)}, {request(0, "a"), request(1, "a"), request(60, "a"), request(61, "a")});
    EXPECT_EQ(even.rules.at(0).worst_minute->start, Instant{seconds{0}});
}

TEST(Simulation, CountsADenialByTheBanAsDenied) {
    Rule banning = rule("r", 1);
    banning.ban = Ban{.denials = 2, .within = seconds{60}, .duration = seconds{3600}, .silent = false};
    const Report report = run({banning}, {request(0, "a"), request(1, "a"), request(2, "a"), request(300, "a")});
    EXPECT_EQ(report.rules.at(0).denied, 3U);
    EXPECT_EQ(report.rules.at(0).banned, 1U);
}

TEST(Simulation, ShowsAllSeriesInTheSameSteps) {
    Rule login = rule("login", 1);
    login.match = {{"path", {"/login"}}};
    const Report report =
        run({rule("r", 1), login}, {request(0, "a", "/login"), request(1, "a", "/login"), request(100'000, "a", "/")});
    EXPECT_EQ(report.series.step_seconds(), report.rules.at(0).series.step_seconds());
    EXPECT_EQ(report.series.step_seconds(), report.rules.at(1).series.step_seconds());
    EXPECT_EQ(report.rules.at(1).series.steps().size(), 1U);
}

TEST(Simulation, HandlesALogOfManyYears) {
    std::vector<AccessRecord> records;
    for (std::int64_t year = 0; year < 60; ++year) {
        for (int i = 0; i < 3; ++i) records.push_back(request(year * 31'556'952, "a"));
    }
    EXPECT_EQ(run({rule("r", 1)}, records).rules.at(0).denied, 120U);
}

TEST(FieldsUsed, AreThoseOfConditionsAndKeysAndTheAddress) {
    Rule made = rule("r", 1, {"user"});
    made.match = {{"path", {"/x"}}};
    made.unless = {{"method", {"GET"}}};
    made.overrides = {{.match = {{"host", {"h"}}}, .limits = made.limits}};
    FieldSet expected;
    for (const Field field : {Field::ip, Field::user, Field::path, Field::method, Field::host}) {
        expected.set(static_cast<std::size_t>(field));
    }
    EXPECT_EQ(fields_used(RuleSet{{made}}), expected);
}

TEST(UnknownAttributes, AreNamedOnce) {
    Rule made = rule("r", 1, {"team", "ip"});
    made.match = {{"action", {"submit"}}, {"path", {"/x"}}};
    made.unless = {{"plan", {"pro"}}};
    EXPECT_EQ(unknown_attributes(made), (std::vector<std::string>{"action", "team"}));
    made.match.push_back({"team", {"1"}});
    EXPECT_EQ(unknown_attributes(made), (std::vector<std::string>{"action", "team"}));
}

}  // namespace
}  // namespace stint::inline v0::replay
