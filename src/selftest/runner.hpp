// Plays conformance vectors to a store, with their own times, and compares
// every field of every answer. Threads: one call at a time for each store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "selftest/vectors.hpp"
#include "stint/store.hpp"

namespace stint::inline v0::selftest {

struct SelftestResult {
    std::size_t vectors = 0;
    std::size_t steps = 0;
    std::size_t mismatches = 0;  ///< fields that differ
};

/// Plays one vector and adds to `result`; writes a line for each field that
/// differs. `counter_id` must be new to the store: that makes it empty for the
/// vector, whose keys are reset at its end.
/// Errors: the vector's limit is none, or the store does not decide; names the vector.
[[nodiscard]] Result<void> run_vector(const Vector& vector, Store& store, std::uint64_t counter_id,
                                      SelftestResult& result, std::ostream& out);

/// Plays all vectors of a text to one store, each on counters of its own.
/// Errors: as parse_vectors and run_vector.
[[nodiscard]] Result<SelftestResult> run_vectors(std::string_view jsonl, Store& store, std::ostream& out);

}  // namespace stint::inline v0::selftest
