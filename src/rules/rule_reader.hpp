// One rule of a rule file. Include in .cpp files only (yaml-cpp).
// Tested by parse_rules_test.cpp. Threads: pure functions.
#pragma once

#include <yaml-cpp/yaml.h>

#include "rules/validate.hpp"
#include "rules/yaml_fields.hpp"
#include "stint/rule.hpp"

namespace stint::rules {

struct ReadRule {
    Rule rule;
    bool named = false;  ///< its name could be read
    bool whole = false;  ///< everything could be read
};

/// Reads what can be read, noting all that cannot.
[[nodiscard]] ReadRule read_rule(const YAML::Node& node, Notes& notes);

/// Returns: where in the rule's node the place is, or the nearest part that holds it.
[[nodiscard]] YAML::Mark locate(const YAML::Node& rule, const Place& place);

}  // namespace stint::rules
