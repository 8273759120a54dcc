// Rule files that are too large for yaml-cpp, and large ones that are not.
#include "rules/yaml_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "rules/rule_loader.hpp"
#include "stint/rule.hpp"
#include "support/rule_problems.hpp"

namespace stint::inline v0::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string repeated(std::string text, std::string_view piece, std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) text += piece;
    return text;
}

/// Megabytes, as a service with many tenants has them.
std::string large(std::size_t rules, std::size_t overrides) {
    std::string yaml = "version: 1\nrules:\n";
    for (std::size_t i = 0; i < rules; ++i) {
        const std::string number = std::to_string(i);
        yaml += "  - name: rule_" + number + "\n    match: {path: \"/" + number +
                "/*\", method: [GET, POST]}\n    key: [tenant, user]\n    limits:\n"
                "      - {algorithm: token_bucket, limit: 10, per: 1s, capacity: 20}\n      - {limit: 200, per: 1d}\n";
    }
    yaml += "  - name: all\n    key: [tenant]\n    limits: [{limit: 10, per: 1m}]\n    overrides:\n";
    for (std::size_t i = 0; i < overrides; ++i) {
        yaml += "      - {match: {tenant: tenant-" + std::to_string(i) + "}, limits: [{limit: 20}]}\n";
    }
    return yaml;
}

TEST(LargeRules, TenThousandRulesAndTenThousandOverridesLoad) {
    const std::string yaml = large(10'000, 10'000);
    EXPECT_GT(yaml.size(), 2U << 20);
    const RuleSet set = parse_rules(yaml, "f.yaml");
    ASSERT_THAT(set.rules(), SizeIs(10'001));
    EXPECT_THAT(set.rules().back().overrides, SizeIs(10'000));
}

// yaml-cpp would take 500 MB for what is refused here, and four times that for 4 MiB of commas.
TEST(LargeRules, TooManyNodesAreRefusedAtTheFirst) {
    // version, 1, rules, the list and the mapping around them are five.
    EXPECT_THAT(rule_problems(repeated("version: 1\nrules:\n", "- a\n", kNodesMax - 4)),
                ElementsAre(HasSubstr("f.yaml:999998:3: too large: keys, values, lists and mappings are more than "
                                      "1000000 up to here")));
    EXPECT_THAT(rule_problems(repeated("version: 1\nrules: [", "a,", kNodesMax) + "]\n"),
                ElementsAre(HasSubstr("f.yaml:2:1999999: too large: ")));
}

TEST(LargeRules, AllFilesTogetherHaveOneBound) {
    const std::filesystem::path folder =
        std::filesystem::path{testing::TempDir()} / ("stint_large_rules_" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
    std::ofstream{folder / "a.yaml"} << repeated("version: 1\nrules: [", "~,", 600'000) << "]\n";
    std::ofstream{folder / "b.yaml"} << repeated("version: 1\nrules: [", "~,", 600'000) << "]\n";
    std::ofstream{folder / "c.yaml"} << "version: 1\nrules: []\n";
    try {
        static_cast<void>(load_rules(folder));
        ADD_FAILURE() << "they were read";
    } catch (const ConfigError& error) {
        std::vector<std::string> too_large;
        for (const Problem& problem : error.problems()) {
            if (problem.reason.starts_with("too large")) too_large.push_back(problem.to_string());
        }
        EXPECT_THAT(too_large, ElementsAre(HasSubstr("b.yaml:2:")));
    }
    std::filesystem::remove_all(folder);
}

// To find the place of a finding takes as long as its way from the begin, so
// that all of these took more than ten minutes.
TEST(LargeRules, ProblemsOfOneKindHaveABound) {
    std::string yaml = "version: 1\nrules:\n  - name: a\n    limits: [{limit: 1, per: 1s}]\n    match: {";
    for (std::size_t i = 0; i < 300'000; ++i) yaml += "a" + std::to_string(i) + ": [],";
    const auto found = rule_problems(yaml + "}\n");
    ASSERT_THAT(found, SizeIs(10'001));
    EXPECT_THAT(found.front(), HasSubstr("further problems are not listed"));
    EXPECT_THAT(found[1], HasSubstr("f.yaml:5:13: match: an empty list of values for 'a0' fits nothing"));
}

TEST(LargeRules, AStopEndsTheReading) {
    std::stop_source stop;
    stop.request_stop();
    std::vector<Problem> found;
    Notes notes{"f.yaml", 100, found};
    ReadBudget budget{.stop = stop.get_token()};
    EXPECT_FALSE(read_document("version: 1\nrules: []\n", notes, budget));
    EXPECT_TRUE(budget.over);
    EXPECT_EQ(budget.nodes_left, kNodesMax);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].to_string(), "f.yaml: reading was stopped");
}

TEST(LargeRules, AStopIsSeenBeforeAFileThatIsNoText) {
    const std::filesystem::path file =
        std::filesystem::path{testing::TempDir()} / ("stint_no_text_" + std::to_string(getpid()) + ".yaml");
    std::ofstream{file} << "\xff";
    std::stop_source stop;
    stop.request_stop();
    try {
        static_cast<void>(load_with_places(file, stop.get_token()));
        ADD_FAILURE() << "it was read";
    } catch (const ConfigError& error) {
        ASSERT_THAT(error.problems(), SizeIs(1));
        EXPECT_EQ(error.problems()[0].reason, "reading was stopped");
    }
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace stint::inline v0::rules
