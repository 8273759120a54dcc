// One rule of a rule file. Include in .cpp files only (yaml-cpp).
// Tested by parse_rules_test.cpp. Threads: pure functions.
#pragma once

#include <yaml-cpp/yaml.h>

#include "rules/validate.hpp"
#include "rules/yaml_fields.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::rules {

/// The parts of a rule of which everything could be read, so that what
/// validate() finds in them is true.
class ReadParts {
public:
    void add(Part part) noexcept { parts_ |= bit(part); }
    [[nodiscard]] bool has(Part part) const noexcept { return (parts_ & bit(part)) != 0; }

private:
    static constexpr unsigned bit(Part part) noexcept { return 1U << static_cast<unsigned>(part); }

    unsigned parts_ = 0;
};

struct ReadRule {
    Rule rule;
    ReadParts parts;
};

/// Reads what can be read, noting all that cannot.
[[nodiscard]] ReadRule read_rule(const YAML::Node& node, Notes& notes);

/// Returns: where in the rule's node the place is, or the nearest part that holds it.
[[nodiscard]] YAML::Mark locate(const YAML::Node& rule, const Place& place);

}  // namespace stint::inline v0::rules
