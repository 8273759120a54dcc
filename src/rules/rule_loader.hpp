// Rule files to a rule set: reads files and folders, puts their rules
// together, and gives every problem its place.
// Tested by load_rules_test.cpp. Threads: pure functions.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "rules/validate.hpp"
#include "stint/error.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::rules {

struct LoadedRules {
    RuleSet rules;
    /// Gives a remark about the rules its file, line and column.
    std::function<Problem(const Place& place, std::string reason)> locate;
};

/// As stint::load_rules and stint::parse_rules, which forget the places.
/// A stop that is asked for ends the reading soon, also with a ConfigError.
/// Errors: throws ConfigError.
[[nodiscard]] LoadedRules load_with_places(const std::filesystem::path& file_or_folder, std::stop_token stop = {});
[[nodiscard]] LoadedRules parse_with_places(std::string_view yaml, const std::string& name);

}  // namespace stint::inline v0::rules
