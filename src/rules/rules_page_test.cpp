// docs/rules.md says what is so: each of its YAML blocks is a rule file that
// loads, or, where its first line says so, one that is refused for that reason.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "rules/lint.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0 {
namespace {

struct Block {
    std::size_t line = 0;
    std::string text;
};

std::vector<Block> yaml_blocks(const std::string& path) {
    std::ifstream file{path};
    std::vector<Block> blocks;
    bool inside = false;
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (!inside && line == "```yaml") {
            inside = true;
            blocks.push_back({.line = number + 1, .text = {}});
        } else if (inside && line == "```") {
            inside = false;
        } else if (inside) {
            blocks.back().text += line + "\n";
        }
    }
    return blocks;
}

// A block may show one rule, or one limit; then the rest is put around it.
std::string whole_file(const std::string& text) {
    if (text.find("version:") != text.npos) return text;
    const std::string head = "version: 1\nrules:\n";
    if (text.find("name:") != text.npos) return head + text;
    std::istringstream lines{text};
    std::string indented;
    for (std::string line; std::getline(lines, line);) indented += "    " + line + "\n";
    if (text.find("limits:") == text.npos) indented += "    limits: [{limit: 5, per: 1m}]\n";
    return head + "  - name: example\n" + indented;
}

TEST(RulesPage, EveryExampleIsAsThePageSays) {
    const auto blocks = yaml_blocks(STINT_SOURCE_DIR "/docs/rules.md");
    ASSERT_GT(blocks.size(), 10U);
    const std::string refused = "# refused: ";
    for (const Block& block : blocks) {
        const std::string where = "docs/rules.md, the block at line " + std::to_string(block.line);
        std::string reason;
        if (block.text.starts_with(refused))
            reason = block.text.substr(refused.size(), block.text.find('\n') - refused.size());
        try {
            const RuleSet set = parse_rules(whole_file(block.text), "example");
            EXPECT_EQ(reason, "") << where << " is not refused";
            for (const auto& finding : rules::lint(set)) ADD_FAILURE() << where << ": " << finding.reason;
        } catch (const ConfigError& error) {
            ASSERT_FALSE(reason.empty()) << where << ":\n" << error.what();
            EXPECT_EQ(error.problems().size(), 1U) << where << ":\n" << error.what();
            EXPECT_NE(error.problems()[0].reason.find(reason), std::string::npos) << where << ":\n" << error.what();
        }
    }
}

}  // namespace
}  // namespace stint::inline v0
