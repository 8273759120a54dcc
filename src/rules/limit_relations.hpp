// Whether one limit of a rule leaves another nothing to do.
// Tested by lint_test.cpp. Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "stint/limit.hpp"

namespace stint::inline v0::rules {

enum class Usefulness : std::uint8_t {
    useful,      ///< or at least not surely useless
    edges_only,  ///< denies only around the edge of the other's windows
    useless,     ///< surely never denies
};

/// Returns: how much `limit` can still deny where `other` must agree too.
[[nodiscard]] Usefulness usefulness(const Limit& limit, const Limit& other);

/// Returns: a limit in a few words, such as `25 per 1m (sliding_window)`.
[[nodiscard]] std::string describe(const Limit& limit);

/// Returns: what Limit::kind() tells apart, in the words of a rule file, such as
/// `sliding_window per 1m (mode strict, buckets 60)`.
[[nodiscard]] std::string describe_kind(const Limit& limit);

}  // namespace stint::inline v0::rules
