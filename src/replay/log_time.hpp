// Times as access logs write them, scanned by hand: a library's date parser
// takes longer than everything else that replay does with a line.
// Tested by log_time_test.cpp. Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "stint/time.hpp"

namespace stint::inline v0::replay {

/// Reads `10/Oct/2000:13:55:36 -0700`, what stands between the brackets of a
/// log line; a fraction of a second may follow the seconds. Second 60 is the
/// next minute's first. Years 1 to 9999. Without a zone the moment is unknown,
/// so the zone must be there. Returns: nothing if anything else is there.
[[nodiscard]] std::optional<Instant> parse_clf_time(std::string_view text) noexcept;

/// Reads `2022-03-10T01:23:45.678+01:00`: a space may stand for the T, `Z`,
/// `+01:00`, `+0100` or `+01` is the zone, which must be there. Digits after
/// the sixth of the fraction are dropped.
[[nodiscard]] std::optional<Instant> parse_iso_time(std::string_view text) noexcept;

/// Takes a number as time since the epoch in the unit that its size tells:
/// below 10^11 seconds, below 10^14 ms, below 10^17 us, else ns. Rounded to the
/// nearest us. Returns: nothing for negative or non-finite numbers.
[[nodiscard]] std::optional<Instant> time_from_number(double number) noexcept;

/// Reads any of the above; a number is all digits with at most one dot.
[[nodiscard]] std::optional<Instant> parse_any_time(std::string_view text) noexcept;

}  // namespace stint::inline v0::replay
