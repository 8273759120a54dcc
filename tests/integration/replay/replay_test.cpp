// Real logs against ten rules, in both orders, to the exact numbers that
// another program computed: each rule alone, and all at once as shadow rules.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <string>

#include "integration/replay/expected.hpp"
#include "replay/replay.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::replay {
namespace {

Report replay_log(const std::string& log, const std::string& order, const std::string& rules) {
    ReplayConfig config;
    config.order = order_named(order).value();
    config.simulation.max_memory = std::size_t{64} << 20;
    Replay replay{load_rules(logs_folder() + "/rules/" + rules + ".yaml"), config};
    std::ifstream file{log, std::ios::binary};
    const auto read = replay.add_log(log, file);
    EXPECT_TRUE(read) << read.error();
    return replay.finish();
}

void expect_same(const RuleReport& rule, const Expected& expected) {
    EXPECT_EQ(rule.checked, expected.checked);
    EXPECT_EQ(rule.allowed, expected.allowed);
    EXPECT_EQ(rule.denied, expected.denied);
    EXPECT_EQ(rule.denied_clients, expected.denied_clients);
    ASSERT_EQ(rule.top_clients.empty(), expected.top_client.empty());
    if (expected.top_client.empty()) return;
    EXPECT_EQ(rule.top_clients.front().ip, expected.top_client);
    EXPECT_EQ(rule.top_clients.front().denied, expected.top_denied);
}

std::string words(const Expected& expected) {
    return expected.rule + ", order " + expected.order + ", " + expected.log;
}

TEST(ReplayOfRealLogs, GivesTheExactNumbersOfEachRule) {
    std::uint64_t compared = 0;
    for (const Expected& expected : read_expected()) {
        SCOPED_TRACE(words(expected));
        const Report report = replay_log(expected.log, expected.order, expected.rule);
        EXPECT_EQ(report.unparsable, 0U);
        EXPECT_EQ(report.evictions, 0U);
        // One enforced rule: the whole says what the rule says.
        EXPECT_EQ(report.checked, expected.checked);
        EXPECT_EQ(report.allowed, expected.allowed);
        EXPECT_EQ(report.denied, expected.denied);
        ASSERT_EQ(report.rules.size(), 1U);
        expect_same(report.rules.front(), expected);
        ++compared;
    }
    EXPECT_EQ(compared, 80U);
}

TEST(ReplayOfRealLogs, GivesTheSameNumbersForAllRulesAtOnce) {
    std::map<std::string, Report> reports;
    std::uint64_t compared = 0;
    for (const Expected& expected : read_expected()) {
        SCOPED_TRACE(words(expected));
        const std::string run = expected.log + " " + expected.order;
        if (!reports.contains(run)) reports[run] = replay_log(expected.log, expected.order, "all-shadow");
        const Report& report = reports[run];
        EXPECT_EQ(report.denied, 0U);
        EXPECT_EQ(report.checked, report.lines);
        for (const RuleReport& rule : report.rules) {
            if (rule.rule != expected.rule) continue;
            expect_same(rule, expected);
            ++compared;
        }
    }
    EXPECT_EQ(compared, 80U);
}

TEST(ReplayOfRealLogs, CountsTheLinesOfEveryLog) {
    const std::map<std::string, std::uint64_t> lines{{"site-week-bruteforce", 12'940},
                                                     {"distributed-login-spam", 3'456},
                                                     {"worms-binary-longuri", 2'781},
                                                     {"http-flood-cachebust", 356}};
    for (const auto& [log, count] : lines) {
        const Report report = replay_log(logs_folder() + "/" + log + ".log", "time", "site-100-per-minute");
        EXPECT_EQ(report.lines, count) << log;
        EXPECT_EQ(report.unparsable, 0U) << log;
    }
}

}  // namespace
}  // namespace stint::inline v0::replay
