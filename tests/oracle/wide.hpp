// 128-bit integers and their divisions: all that exact arithmetic needs here.
// Times stay below 2^53 us and numbers of tokens below 2^50, so products of
// two of them, and sums of a few, fit.
#pragma once

#include <cstdint>

namespace stint::inline v0::oracle {

__extension__ using Wide = __int128;

/// Returns: the quotient rounded towards minus infinity. Requires: divisor > 0.
constexpr Wide floor_div(Wide value, Wide divisor) {
    const Wide quotient = value / divisor;
    return value % divisor < 0 ? quotient - 1 : quotient;
}

/// Returns: the quotient rounded towards plus infinity. Requires: divisor > 0.
constexpr Wide ceil_div(Wide value, Wide divisor) {
    return -floor_div(-value, divisor);
}

}  // namespace stint::inline v0::oracle
