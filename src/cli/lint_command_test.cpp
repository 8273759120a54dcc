#include "cli/lint_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace stint::inline v0::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LintCommand : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "stint-lint-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        good_ = write("good.yaml", "version: 1\nrules:\n  - {name: a, limits: [{limit: 1, per: 1s}]}\n");
        odd_ = write("odd.yaml", "version: 1\nrules:\n  - {name: a, limits: [{limit: 0, per: 1s}]}\n");
        bad_ = write("bad.yaml", "version: 1\nrules:\n  - {name: a, limits: [{limit: -1, per: 1s}], shadow: 3}\n");
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream{folder_ / name} << text;
        return (folder_ / name).string();
    }

    int run(std::vector<std::string> files, bool strict = false) {
        out_.str("");
        err_.str("");
        return lint({.files = std::move(files), .strict = strict}, out_, err_);
    }

    fs::path folder_;
    std::string good_;
    std::string odd_;
    std::string bad_;
    std::ostringstream out_;
    std::ostringstream err_;
};

TEST_F(LintCommand, GoodRulesAreZero) {
    EXPECT_EQ(run({good_}, true), 0);
    EXPECT_EQ(out_.str(), good_ + ": 1 rule, 0 warnings\n");
    EXPECT_THAT(err_.str(), IsEmpty());
}

TEST_F(LintCommand, WarningsFailOnlyWhenStrict) {
    EXPECT_EQ(run({odd_}), 0);
    EXPECT_THAT(out_.str(), HasSubstr(odd_ + ":3:24: warning: limits: a limit of 0 denies every request\n"));
    EXPECT_THAT(out_.str(), HasSubstr("1 rule, 1 warning\n"));
    EXPECT_EQ(run({odd_, good_}, true), 1);
}

TEST_F(LintCommand, ProblemsAreTwo) {
    EXPECT_EQ(run({bad_}), 2);
    EXPECT_THAT(err_.str(), HasSubstr(bad_ + ":3:32: error: limit: "));
    EXPECT_THAT(err_.str(), HasSubstr(bad_ + ":3:55: error: shadow: "));
    EXPECT_THAT(out_.str(), IsEmpty());
    EXPECT_EQ(run({odd_, bad_, good_}, true), 2);
    EXPECT_EQ(run({(folder_ / "missing.yaml").string()}), 2);
    EXPECT_THAT(err_.str(), HasSubstr("missing.yaml: error: cannot be read"));
}

TEST_F(LintCommand, AFolderIsOneSetOfRules) {
    fs::remove(bad_);
    EXPECT_EQ(run({folder_.string()}), 2);
    EXPECT_THAT(err_.str(), HasSubstr("'a' is the name of two rules"));
}

}  // namespace
}  // namespace stint::inline v0::cli
