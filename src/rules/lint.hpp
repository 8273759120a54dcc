// What is valid, but was probably not meant: rules and overrides that never
// apply, limits that never deny or deny everything, patterns that are not what
// they seem. Tested by lint_test.cpp. Threads: pure functions.
#pragma once

#include <vector>

#include "rules/validate.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::rules {

/// More overrides of one rule than this are not compared with each other.
inline constexpr std::size_t kLintOverridesMax = 3'000;

/// Returns: the warnings, in the order of the rules. A warning that says
/// "never" is certain; not everything that could be said is found.
[[nodiscard]] std::vector<Finding> lint(const RuleSet& rules);

}  // namespace stint::inline v0::rules
