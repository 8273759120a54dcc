// Rule files on disk: single files, folders, and what can be wrong with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "stint/rule.hpp"

namespace stint::inline v0 {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class LoadRules : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "stint-rules-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const fs::path& name, const std::string& text) const {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream{folder_ / name, std::ios::binary} << text;
    }

    static std::string one_rule(const std::string& name) {
        return "version: 1\nrules:\n  - {name: " + name + ", limits: [{limit: 1, per: 1s}]}\n";
    }

    static std::vector<std::string> names(const fs::path& path) {
        std::vector<std::string> result;
        const RuleSet set = load_rules(path);
        for (const Rule& rule : set.rules()) result.push_back(rule.name);
        return result;
    }

    static std::vector<std::string> problems(const fs::path& path) {
        std::vector<std::string> result;
        try {
            static_cast<void>(load_rules(path));
        } catch (const ConfigError& error) {
            for (const Problem& problem : error.problems()) result.push_back(problem.to_string());
        }
        return result;
    }

    fs::path folder_;
};

TEST_F(LoadRules, ReadsTheExample) {
    EXPECT_THAT(names(fs::path{STINT_SOURCE_DIR} / "examples/rules.yaml"),
                ElementsAre("submit", "invite", "api", "login", "report", "export"));
}

TEST_F(LoadRules, ReadsAFolderInByteOrderOfNames) {
    write("b.yaml", one_rule("from_b"));
    write("a.yml", one_rule("from_a"));
    write("B.yaml", one_rule("from_upper_b"));
    write("10.yaml", one_rule("from_10"));
    write("9.yaml", one_rule("from_9"));
    write(".hidden.yaml", "no rules at all");
    write("README.md", "no rules at all");
    write("c.yaml.bak", "no rules at all");
    write("sub/d.yaml", "no rules at all");
    EXPECT_THAT(names(folder_), ElementsAre("from_10", "from_9", "from_upper_b", "from_a", "from_b"));
}

// behaviours B42: a ConfigMap volume, its swap, and a deleted file.
TEST_F(LoadRules, ReadsAKubernetesVolumeOnceAndAfterASwap) {
    write("..2026_01/a.yaml", one_rule("old_a"));
    write("..2026_01/b.yaml", one_rule("old_b"));
    fs::create_directory_symlink("..2026_01", folder_ / "..data");
    fs::create_symlink("..data/a.yaml", folder_ / "a.yaml");
    fs::create_symlink("..data/b.yaml", folder_ / "b.yaml");
    EXPECT_THAT(names(folder_), ElementsAre("old_a", "old_b"));

    write("..2026_02/a.yaml", one_rule("new_a"));
    write("..2026_02/b.yaml", one_rule("new_b"));
    fs::create_directory_symlink("..2026_02", folder_ / "..data_tmp");
    fs::rename(folder_ / "..data_tmp", folder_ / "..data");
    EXPECT_THAT(names(folder_), ElementsAre("new_a", "new_b"));
    fs::remove(folder_ / "b.yaml");
    EXPECT_THAT(names(folder_), ElementsAre("new_a"));

    fs::create_directory_symlink(folder_, folder_ / "link");
    EXPECT_THAT(names(folder_ / "link"), ElementsAre("new_a"));
}

TEST_F(LoadRules, ANameInTwoFilesIsRefusedWithBothPlaces) {
    write("a.yaml", one_rule("same"));
    write("b.yaml", "# one line more\n" + one_rule("same"));
    const std::string a = (folder_ / "a.yaml").string();
    const std::string b = (folder_ / "b.yaml").string();
    EXPECT_THAT(problems(folder_),
                ElementsAre(b + ":4:12: name: 'same' is the name of two rules; the first is " + a + ":3:12"));
}

TEST_F(LoadRules, AllProblemsOfAllFilesComeAtOnce) {
    write("a.yaml", "version: 1\nrules: [{name: a, limits: [{limit: -1, per: 1s}]}]\n");
    write("b.yaml", "version: 1\nrules: [\n");
    write("c.yaml", "version: 1\nrules: [{name: c, limits: [{limit: 1, per: 0s}]}]\n");
    EXPECT_THAT(problems(folder_), ElementsAre(AllOf(StartsWith((folder_ / "a.yaml:2:").string()), HasSubstr("limit:")),
                                               AllOf(StartsWith((folder_ / "b.yaml:").string()), HasSubstr("no YAML")),
                                               AllOf(StartsWith((folder_ / "c.yaml:2:").string()), HasSubstr("per:"))));
}

TEST_F(LoadRules, ThePrefixHoldsForAllFiles) {
    write("a.yaml", "ipv6_prefix: 56\n" + one_rule("a"));
    write("b.yaml", one_rule("b"));
    EXPECT_EQ(load_rules(folder_).options().ipv6_prefix, 56);
    write("c.yaml", "ipv6_prefix: 56\n" + one_rule("c"));
    EXPECT_EQ(load_rules(folder_).options().ipv6_prefix, 56);
    write("c.yaml", "ipv6_prefix: 48\n" + one_rule("c"));
    EXPECT_THAT(problems(folder_), ElementsAre(AllOf(HasSubstr("c.yaml:1:14: ipv6_prefix: 48 here, but 56 in"),
                                                     HasSubstr("a.yaml:1:14"))));
}

TEST_F(LoadRules, WhatCannotBeReadIsRefused) {
    EXPECT_THAT(problems(folder_ / "missing.yaml"), ElementsAre(HasSubstr("cannot be read")));
    EXPECT_THAT(problems(folder_), ElementsAre(HasSubstr("this folder holds no rules")));
    write("empty.yaml", "");
    EXPECT_THAT(problems(folder_ / "empty.yaml"), ElementsAre(HasSubstr("the file is empty")));
    fs::create_symlink("nowhere", folder_ / "dangling.yaml");
    fs::create_directory(folder_ / "folder.yaml");
    EXPECT_THAT(problems(folder_), ElementsAre(AllOf(HasSubstr("dangling.yaml"), HasSubstr("cannot be read")),
                                               AllOf(HasSubstr("empty.yaml"), HasSubstr("the file is empty")),
                                               AllOf(HasSubstr("folder.yaml"), HasSubstr("is a folder"))));
    if (geteuid() != 0) {
        write("secret.yaml", one_rule("x"));
        fs::permissions(folder_ / "secret.yaml", fs::perms::none);
        EXPECT_THAT(problems(folder_ / "secret.yaml"), ElementsAre(HasSubstr("Permission denied")));
    }
    std::ofstream{folder_ / "large.yaml"} << std::string(std::size_t{4'194'305}, '#');
    EXPECT_THAT(problems(folder_ / "large.yaml"), ElementsAre(HasSubstr("4194304 bytes at most")));
}

}  // namespace
}  // namespace stint::inline v0
