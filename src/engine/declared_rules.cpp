#include "engine/declared_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "rules/compiled_rules.hpp"

namespace stint::inline v0::engine {
namespace {

bool is_placeholder(std::string_view attribute) {
    return attribute.size() > 1 && attribute.front() == '_' &&
           std::all_of(attribute.begin() + 1, attribute.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Returns: whether the values of the declared key can be taken for those of the file's.
bool binds(const std::vector<std::string>& declared, const std::vector<std::string>& file) {
    return std::equal(
        declared.begin(), declared.end(), file.begin(), file.end(),
        [](const std::string& own, const std::string& other) { return own == other || is_placeholder(own); });
}

Problem problem(const Rule& rule, std::string reason) {
    return {"", 0, 0, fmt::format("rule {}: {}", rule.name, reason)};
}

void throw_if_any(std::vector<Problem> problems) {
    if (!problems.empty()) throw ConfigError{std::move(problems)};
}

}  // namespace

std::vector<std::uint32_t> DeclaredRules::add(std::span<const Rule> rules) {
    std::vector<Problem> problems;
    std::vector<std::uint32_t> places;
    std::vector<Rule> all = rules_;
    for (const Rule& rule : rules) {
        const auto same = std::ranges::find(all, rule.name, &Rule::name);
        places.push_back(static_cast<std::uint32_t>(same - all.begin()));
        if (same == all.end()) {
            all.push_back(rule);
        } else if (*same != rule) {
            problems.push_back(problem(rule, "is declared twice, with different limits or keys"));
        }
    }
    throw_if_any(std::move(problems));
    rules_ = std::move(all);
    return places;
}

RuleSet DeclaredRules::beside(const RuleSet& file) const {
    if (rules_.empty()) return file;
    std::vector<Problem> problems;
    std::vector<Rule> all = file.rules();
    for (const Rule& rule : rules_) {
        const rules::CompiledRule* other = file.compiled().find(rule.name);
        if (other == nullptr) {
            all.push_back(rule);
        } else if (!binds(rule.key, other->rule->key)) {
            problems.push_back(
                problem(rule, fmt::format("counts by [{}], but the program has declared it with [{}]",
                                          fmt::join(other->rule->key, ", "), fmt::join(rule.key, ", "))));
        }
    }
    throw_if_any(std::move(problems));
    return all.size() == file.rules().size() ? file : RuleSet{std::move(all), file.options()};
}

std::vector<std::uint32_t> DeclaredRules::places_in(const RuleSet& rules) const {
    std::vector<std::uint32_t> places;
    for (const Rule& rule : rules_) places.push_back(rules.compiled().find(rule.name)->index);
    return places;
}

}  // namespace stint::inline v0::engine
