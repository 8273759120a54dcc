// What makes a set of rules wrong, wherever it came from: rules made in code
// and rules read from files are judged here, by the same function.
// Tested by rule_set_test.cpp. Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stint/rule.hpp"

namespace stint::inline v0::rules {

inline constexpr std::size_t kAttributesMax = 1'000;  ///< attribute names of all rules together

/// The part of a rule that a finding is about.
enum class Part : std::uint8_t {
    rule,
    name,
    match,            ///< index: condition, item: pattern
    unless,           ///< the same
    key,              ///< index: attribute
    limits,           ///< index: limit
    override_match,   ///< index: override, sub: condition, item: pattern
    override_limits,  ///< index: override, sub: limit
    ban,
    cost,
    redis_key,
};

/// Where in the rules a finding is. An index past the end means the whole part.
struct Place {
    static constexpr std::size_t kWhole = static_cast<std::size_t>(-1);

    std::size_t rule = 0;
    Part part = Part::rule;
    std::size_t index = kWhole;
    std::size_t sub = kWhole;
    std::size_t item = kWhole;
};

struct Finding {
    Place place;
    std::string reason;
    std::optional<Place> other;  ///< what it collides with; the reason ends before naming it
};

/// Returns: everything that is wrong with these rules, in their order.
[[nodiscard]] std::vector<Finding> validate(std::span<const Rule> rules);

/// Returns: why these options cannot be, or nothing.
[[nodiscard]] std::string validate(const RuleSet::Options& options);

}  // namespace stint::inline v0::rules
