// From bytes to a report, on a rule set of one.
#include "replay/replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>

#include "replay/report_json.hpp"

namespace stint::inline v0::replay {
namespace {

RuleSet one_per_minute() {
    Rule rule;
    rule.name = "r";
    rule.key = {"ip"};
    rule.limits = {Limit::fixed_window(1, std::chrono::seconds{60}, Anchor::clock)};
    return RuleSet{{rule}};
}

std::string line(const std::string& ip, const std::string& clock) {
    return ip + " - - [10/Oct/2000:" + clock + " +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"-\"\n";
}

Report run(const std::vector<std::string>& logs, ReplayConfig config = {}) {
    config.simulation.max_memory = std::size_t{16} << 20;
    Replay replay{one_per_minute(), config};
    for (std::size_t i = 0; i < logs.size(); ++i) {
        std::istringstream in{logs[i]};
        EXPECT_TRUE(replay.add_log("log" + std::to_string(i), in));
    }
    return replay.finish();
}

TEST(Replay, DecidesInOrderOfTimeAcrossAllLogs) {
    // In order of time, the request at 10:00:00 is allowed and 10:00:30 denied.
    const std::string later = line("a", "10:00:30") + line("b", "10:00:31");
    const std::string earlier = line("a", "10:00:00") + line("b", "10:01:00");
    const Report report = run({later, earlier});
    EXPECT_EQ(report.lines, 4U);
    EXPECT_EQ(report.denied, 1U);
    EXPECT_EQ(report.rules.at(0).top_clients.at(0).ip, "a");
    EXPECT_THAT(report.files, testing::ElementsAre("log0", "log1"));
}

TEST(Replay, DecidesInOrderOfTheFileIfAsked) {
    ReplayConfig config;
    config.order = Order::file;
    // The clock steps back into the minute before: taken at the newest time seen.
    const std::string log = line("a", "10:01:00") + line("a", "10:00:59") + line("a", "10:02:00");
    EXPECT_EQ(run({log}, config).denied, 1U);
    EXPECT_EQ(run({log}).denied, 0U);
}

TEST(Replay, CountsAndKeepsTheFirstLinesThatDoNotCount) {
    ReplayConfig config;
    config.bad_lines_max = 2;
    const Report report = run({"bad\n" + line("a", "10:00:00") + "\n" + std::string(2'000'000, 'x') + "\n"}, config);
    EXPECT_EQ(report.lines, 4U);
    EXPECT_EQ(report.unparsable, 3U);
    EXPECT_EQ(report.checked, 1U);
    ASSERT_EQ(report.bad_lines.size(), 2U);
    EXPECT_EQ(report.bad_lines[0].line, 1U);
    EXPECT_EQ(report.bad_lines[0].text, "bad");
    EXPECT_EQ(report.bad_lines[0].reason, "no [time]");
    EXPECT_EQ(report.bad_lines[1].line, 3U);
    EXPECT_EQ(report.bad_lines[1].reason, "an empty line");
}

TEST(Replay, ReadsMixedFormatsLineByLine) {
    const std::string json = R"({"ip":"a","time":"2000-10-10T10:00:10Z"})";
    const Report report = run({line("a", "10:00:00") + json + "\n"});
    EXPECT_EQ(report.unparsable, 0U);
    EXPECT_EQ(report.denied, 1U);
    ReplayConfig config;
    config.format = Format::json;
    EXPECT_EQ(run({line("a", "10:00:00") + json + "\n"}, config).unparsable, 1U);
    config.format = Format::combined;
    EXPECT_EQ(run({line("a", "10:00:00") + json + "\n"}, config).unparsable, 1U);
}

TEST(Replay, SurvivesAnyBytes) {
    std::string bytes;
    for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * 7919 >> 3 & 0xFF);
    bytes.insert(0, "x");
    const Report report = run({bytes});
    EXPECT_EQ(report.unparsable, report.lines);
    EXPECT_EQ(report.checked, 0U);
}

TEST(Replay, NamesTheLogThatCannotBeRead) {
    Replay replay{one_per_minute(), {}};
    std::istringstream in{"\x1f\x8b\x08"};
    const auto read = replay.add_log("x.gz", in);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error(), "x.gz: the gzip data ends in the middle");
}

TEST(Replay, ReportsAnEmptyLog) {
    EXPECT_EQ(report_json(run({""})),
              R"({"lines":0,"unparsable":0,"checked":0,"allowed":0,"denied":0,"rules":[{"rule":"r","checked":0,)"
              R"("allowed":0,"denied":0,"denied_keys":0,"top":[],"denied_clients":0,"top_clients":[]}]})");
}

}  // namespace
}  // namespace stint::inline v0::replay
