// What is wrong with a rule file, a line for each problem.
#pragma once

#include <string>
#include <vector>

#include "stint/rule.hpp"

namespace stint::inline v0 {

/// Reads the text as the file f.yaml. Returns: nothing if all is well.
[[nodiscard]] inline std::vector<std::string> rule_problems(const std::string& yaml) {
    std::vector<std::string> result;
    try {
        static_cast<void>(parse_rules(yaml, "f.yaml"));
    } catch (const ConfigError& error) {
        for (const Problem& problem : error.problems()) result.push_back(problem.to_string());
    }
    return result;
}

}  // namespace stint::inline v0
