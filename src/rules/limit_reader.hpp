// One limit of a rule file. Include in .cpp files only (yaml-cpp).
// Tested by parse_rules_test.cpp. Threads: pure functions.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>

#include "rules/yaml_fields.hpp"
#include "stint/limit.hpp"

namespace stint::inline v0::rules {

/// What the rule says for all of its limits.
struct LimitDefaults {
    std::optional<std::string> timezone;  ///< of calendar windows
    bool count_denied = false;            ///< of all but concurrency, where a denial holds nothing
};

/// Returns: the limit, or nothing after noting what is wrong with it.
[[nodiscard]] std::optional<Limit> read_limit(const YAML::Node& node, const LimitDefaults& defaults, Notes& notes);

/// Reads a limit of an override: the numbers are its own, all else is `base`'s
/// and may be repeated but not changed.
[[nodiscard]] std::optional<Limit> read_override_limit(const YAML::Node& node, const Limit& base, Notes& notes);

/// Notes what is wrong with such a limit where its base is not known.
void check_override_limit(const YAML::Node& node, Notes& notes);

}  // namespace stint::inline v0::rules
