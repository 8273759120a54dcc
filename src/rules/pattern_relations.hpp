// What can be said of two patterns, or two sets of conditions, for every
// value there is. Both answers err on the side of "no": lint must not warn of
// what is not so. Tested by lint_test.cpp. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "stint/rule.hpp"

namespace stint::inline v0::rules {

/// Returns: whether every value that fits `narrow` surely fits `wide` too.
/// Requires, as the next two: patterns that compile.
[[nodiscard]] bool covers(std::string_view attribute, const std::string& wide, const std::string& narrow);

/// Returns: whether surely no value fits both conditions. Requires: one attribute.
[[nodiscard]] bool disjoint(const Condition& left, const Condition& right);

/// Returns: whether surely no request fits both.
[[nodiscard]] bool disjoint(const Conditions& left, const Conditions& right);

/// Returns: whether every request that fits `given` surely fits `condition`.
[[nodiscard]] bool implies(const Conditions& given, const Condition& condition);

/// Returns: the same for all of `conditions`.
[[nodiscard]] bool implies(const Conditions& given, const Conditions& conditions);

}  // namespace stint::inline v0::rules
