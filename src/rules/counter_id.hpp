// What the lowest bits of a counter's id tell: whether leases are counted, so
// that a lease's name, which comes from outside, can never be taken for that of
// another counter. Threads: pure functions.
#pragma once

#include <cstdint>

#include "stint/limit.hpp"

namespace stint::inline v0::rules {

inline constexpr std::uint64_t kCounterCodeMask = 7;
inline constexpr std::uint64_t kBanCounterCode = 7;

[[nodiscard]] constexpr std::uint64_t counter_code(Algorithm algorithm) noexcept {
    return static_cast<std::uint64_t>(algorithm);
}
[[nodiscard]] constexpr bool counts_leases(std::uint64_t counter_id) noexcept {
    return (counter_id & kCounterCodeMask) == counter_code(Algorithm::concurrency);
}

}  // namespace stint::inline v0::rules
