// Rules that code has declared, beside those of the rule file: the file's rule
// of the same name takes a declared one's place, so that numbers change without
// a new program. Tested by declared_rules_test.cpp. Threads: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stint/rule.hpp"

namespace stint::inline v0::engine {

class DeclaredRules {
public:
    /// Returns: the place of each rule, also of one that is declared again.
    /// Errors: throws ConfigError that names every rule that differs from an earlier declaration; then adds nothing.
    std::vector<std::uint32_t> add(std::span<const Rule> rules);

    [[nodiscard]] std::size_t size() const noexcept { return rules_.size(); }

    /// Returns: the rules of the file and after them the declared ones that it does not have.
    /// Errors: throws ConfigError if a declared rule cannot be, or counts by other attributes than the file's rule.
    [[nodiscard]] RuleSet beside(const RuleSet& file) const;

    /// Returns: where each declared rule stands in what beside() has returned.
    [[nodiscard]] std::vector<std::uint32_t> places_in(const RuleSet& rules) const;

private:
    std::vector<Rule> rules_;
};

}  // namespace stint::inline v0::engine
