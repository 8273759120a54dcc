// The report for a terminal. Tested by report_text_test.cpp. Threads: pure.
#pragma once

#include <string>

#include "replay/report.hpp"

namespace stint::inline v0::replay {

/// Returns: a table of the rules, the keys that each denied most, and the
/// first lines that do not count; every text made printable. Times in UTC.
[[nodiscard]] std::string report_text(const Report& report);

/// Returns: only the lines that do not count, with file, line and reason;
/// empty if all count.
[[nodiscard]] std::string bad_lines_text(const Report& report);

/// Returns: `attribute=value` for each, with spaces between; `(all requests)`
/// for the key of a rule that counts everybody together.
[[nodiscard]] std::string key_text(const KeyCount& key);

/// Returns: such as `2013-10-30 09:11:25`, in UTC.
[[nodiscard]] std::string time_text(Instant time);

/// Returns: with a comma after every three digits.
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace stint::inline v0::replay
