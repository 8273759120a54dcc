// What every algorithm reports, and the few sums that all of them share.
// Core counts time in bare int64 microseconds since the epoch: all of it is
// arithmetic on them, and the public types wrap them at the edge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "stint/limit.hpp"

namespace stint::inline v0::core {

inline constexpr std::int64_t kNeverUs = std::numeric_limits<std::int64_t>::max();

/// Counts of windows stop here.
inline constexpr std::uint64_t kCountMax = 4'294'967'295;

struct Outcome {
    std::uint64_t remaining = 0;
    std::int64_t retry_us = 0;  // 0 when allowed, kNeverUs when no wait helps
    std::int64_t reset_us = 0;  // until the key is as if never used
};

/// Returns: what is left of `limit` once `used` is gone, never negative.
[[nodiscard]] constexpr std::uint64_t left_of(std::uint64_t limit, std::uint64_t used) noexcept {
    return used < limit ? limit - used : 0;
}

/// Returns: a + b, stopping at kCountMax.
[[nodiscard]] constexpr std::uint64_t add_count(std::uint64_t a, std::uint64_t b) noexcept {
    return std::min(kCountMax, a + std::min(b, kCountMax));
}

}  // namespace stint::inline v0::core
