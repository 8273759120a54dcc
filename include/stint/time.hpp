// Time as stint counts it: whole microseconds since the Unix epoch, and
// durations in whole microseconds. Nothing in stint computes with floating
// point time, so that every store gives the same answer to the microsecond.
#pragma once

#include <chrono>
#include <cstdint>

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// A length of time in whole microseconds.
using Duration = std::chrono::microseconds;

/// A moment in whole microseconds since the Unix epoch. Checks accept moments
/// from 0 to kInstantMax; a moment outside is taken as the nearer end.
using Instant = std::chrono::sys_time<Duration>;

/// The last moment that stint reckons with: 2^53 - 1 us, in the year 2255.
/// (2^53 is where Redis scripts, which count in doubles, would lose units.)
inline constexpr Instant kInstantMax{Duration{(std::int64_t{1} << 53) - 1}};

/// The longest period, and the longest time that a rule file can write: 100 years.
inline constexpr Duration kPeriodMax{std::chrono::hours{24 * 36525}};

/// A wait that never ends: no wait makes this check pass.
inline constexpr Duration kNever{Duration::max()};

}  // namespace stint::inline v0
#pragma GCC visibility pop
