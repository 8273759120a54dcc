// Durations as people write them in rule files and on the command line:
// `250ms`, `60s`, `1m`, `1h`, `1d`, `1w`, or in words, `15 minutes`.
// Tested by duration_text_test.cpp. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "stint/time.hpp"

namespace stint::inline v0 {

/// Reads one whole number and one unit. Returns: 0 too, and at most 100 years
/// (kPeriodMax). Errors: the reason, for a person.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

/// Returns: the shortest text that reads as `duration`, such as `90s` or `1h`;
/// what is no whole number of milliseconds ends in `us`, which only people read.
[[nodiscard]] std::string write_duration(Duration duration);

}  // namespace stint::inline v0
