// Conformance vectors: sequences of checks of one limit with the exact answer
// to each, one JSON object a line (the format: tests/conformance/README.md).
// Reading them is strict, because a field that is passed over would make a
// vector test something else than it says.
// Threads: values, no shared state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stint/limit.hpp"
#include "stint/time.hpp"

namespace stint::inline v0::selftest {

struct Step {
    Instant time;
    std::string key;
    std::uint64_t cost = 1;
    bool allowed = true;
    std::uint64_t remaining = 0;
    Duration retry_after{};  ///< kNever where the vector says "never"
    Duration reset_after{};
};

struct Vector {
    std::string id;
    std::size_t line = 0;  ///< from 1, where it stands
    LimitSpec limit;
    std::vector<Step> steps;
};

/// Returns: the vectors of a text, in order; empty lines are passed over.
/// Errors: `name:line: reason` for the first line that is not a vector.
[[nodiscard]] Result<std::vector<Vector>> parse_vectors(std::string_view text, std::string_view name);

}  // namespace stint::inline v0::selftest
