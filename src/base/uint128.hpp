// 128-bit integers, for products that 64 bits do not hold.
#pragma once

#include <cstdint>

namespace stint::inline v0 {

__extension__ using Uint128 = unsigned __int128;

/// Returns: numerator / denominator, rounded up. Requires: denominator > 0.
template <typename T>
[[nodiscard]] constexpr T divide_up(T numerator, T denominator) noexcept {
    return numerator / denominator + (numerator % denominator != 0 ? 1 : 0);
}

}  // namespace stint::inline v0
