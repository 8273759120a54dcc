// The text of a rule file to yaml-cpp's tree, within bounds: yaml-cpp alone
// takes 500 bytes for each node, and seconds for a file of some megabytes.
// Include in .cpp files only. Threads: one document at a time; the stop may be
// asked for from any thread.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string_view>

#include "rules/yaml_fields.hpp"

namespace stint::inline v0::rules {

inline constexpr std::size_t kNodesMax = 1'000'000;  ///< of all files of a set: mappings, lists, keys and values

/// How much the files of one set may still hold, and whether anybody wants them.
struct ReadBudget {
    std::size_t nodes_left = kNodesMax;
    std::stop_token stop{};
    bool over = false;  ///< too many, stopped or no memory: no further file is to be read
};

/// Parses text that must hold exactly one document. Returns: its root, or
/// nothing after noting why not: no YAML, too many nodes (at the first that is
/// too many), stopped, or no memory. Catches all that yaml-cpp throws.
/// Cost: after a stop, at most the time to build the tree of what was read.
[[nodiscard]] std::optional<YAML::Node> read_document(std::string_view text, Notes& notes, ReadBudget& budget);

}  // namespace stint::inline v0::rules
