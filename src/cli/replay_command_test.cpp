// The command without a process: its report, its refusals, its warnings.
#include "cli/replay_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace stint::inline v0::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ReplayCommand : public testing::Test {
protected:
    void SetUp() override {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::path{testing::TempDir()} / (std::string{"stint_replay_"} + test->name());
        std::filesystem::create_directories(folder_);
        options_.rules = file("rules.yaml",
                              "version: 1\nrules:\n  - {name: r, key: [ip], limits: [{algorithm: fixed_window, "
                              "limit: 1, per: 60s, anchor: clock}]}\n");
        options_.max_memory = std::uint64_t{16} << 20;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string file(const std::string& name, const std::string& text) {
        const std::string path = (folder_ / name).string();
        std::ofstream{path, std::ios::binary} << text;
        return path;
    }
    int run(const std::string& standard_input = "") {
        std::istringstream in{standard_input};
        out_.str("");
        err_.str("");
        return replay(options_, in, out_, err_);
    }

    static constexpr const char* kTwoLines =
        "a - - [10/Oct/2000:10:00:00 +0000] \"GET / HTTP/1.1\" 200 1\n"
        "a - - [10/Oct/2000:10:00:01 +0000] \"GET / HTTP/1.1\" 200 1\n";

    std::filesystem::path folder_;
    ReplayOptions options_;
    std::ostringstream out_;
    std::ostringstream err_;
};

TEST_F(ReplayCommand, ReadsStandardInput) {
    options_.logs = {"-"};
    EXPECT_EQ(run(kTwoLines), 0);
    EXPECT_THAT(out_.str(), HasSubstr("2 requests checked: 1 allowed, 1 denied (50.0 %)"));
    EXPECT_EQ(err_.str(), "");
}

TEST_F(ReplayCommand, PrintsOneObjectAndKeepsMessagesApart) {
    options_.logs = {"-"};
    options_.json = true;
    EXPECT_EQ(run(std::string{kTwoLines} + "junk\n"), 0);
    EXPECT_THAT(out_.str(), StartsWith(R"({"lines":3,"unparsable":1,"checked":2,"allowed":1,"denied":1,"rules":[)"));
    EXPECT_THAT(err_.str(), HasSubstr("-:3: no [time]: junk"));
}

TEST_F(ReplayCommand, WritesThePage) {
    options_.logs = {"-"};
    options_.html = (folder_ / "out.html").string();
    EXPECT_EQ(run(kTwoLines), 0);
    EXPECT_GT(std::filesystem::file_size(options_.html), 100'000U);
}

TEST_F(ReplayCommand, RefusesWhatIsUnusableAndPrintsNothing) {
    const ReplayOptions good = options_;
    const std::string log = file("a.log", kTwoLines);
    const auto refusal = [&](const ReplayOptions& options) {
        options_ = options;
        EXPECT_EQ(run(), 2);
        EXPECT_EQ(out_.str(), "");
        return err_.str();
    };
    EXPECT_THAT(refusal(good), HasSubstr("no log to read"));
    ReplayOptions bad = good;
    bad.logs = {log, (folder_ / "none.log").string()};
    EXPECT_THAT(refusal(bad), HasSubstr("none.log: No such file"));
    bad.logs = {folder_.string()};
    EXPECT_THAT(refusal(bad), HasSubstr("is a folder"));
    bad.logs = {log};
    bad.format = "xml";
    EXPECT_THAT(refusal(bad), HasSubstr("--format is auto, combined, common or json, not 'xml'"));
    bad.format = "auto";
    bad.order = "size";
    EXPECT_THAT(refusal(bad), HasSubstr("--order is time or file, not 'size'"));
    bad.order = "time";
    bad.max_memory = 1;
    EXPECT_NE(refusal(bad), "");
    bad.max_memory = good.max_memory;
    bad.rules = file("broken.yaml", "version: 1\nrules:\n  - {name: r, limitz: []}\n");
    EXPECT_THAT(refusal(bad), HasSubstr("broken.yaml:3:"));
    bad.rules = good.rules;
    bad.html = (folder_ / "none" / "out.html").string();
    EXPECT_THAT(refusal(bad), HasSubstr("the page cannot be written"));
}

TEST_F(ReplayCommand, WarnsOfRulesThatNeverApply) {
    options_.rules =
        file("team.yaml", "version: 1\nrules:\n  - {name: t, key: [team], limits: [{limit: 1, per: 1m}]}\n");
    options_.logs = {"-"};
    EXPECT_EQ(run(kTwoLines), 0);
    EXPECT_EQ(err_.str(), "stint: rule t never applies: access logs have no attribute 'team'\n");
}

TEST_F(ReplayCommand, WarnsWhenTheMemoryDidNotSuffice) {
    options_.logs = {"-"};
    options_.max_memory = std::uint64_t{1} << 20;
    std::string log;
    for (int i = 0; i < 200'000; ++i) {
        log += "h" + std::to_string(i) + " - - [10/Oct/2000:10:00:00 +0000] \"GET / HTTP/1.1\" 200 1\n";
    }
    EXPECT_EQ(run(log), 0);
    EXPECT_THAT(err_.str(), HasSubstr("--max-memory"));
}

TEST_F(ReplayCommand, ShowsProgressIfAsked) {
    options_.logs = {"-"};
    options_.progress = true;
    std::string log;
    for (int i = 0; i < 5'000; ++i) log += kTwoLines;
    EXPECT_EQ(run(log), 0);
    EXPECT_THAT(err_.str(), HasSubstr("\r\033[Kstandard input: "));
    EXPECT_TRUE(err_.str().ends_with("\r\033[K"));
}

}  // namespace
}  // namespace stint::inline v0::cli
