// The report for programs. Tested by report_json_test.cpp. Threads: pure.
#pragma once

#include <string>

#include "replay/report.hpp"

namespace stint::inline v0::replay {

/// Returns: one object on one line, without a newline at the end: lines,
/// unparsable, checked, allowed, denied, and rules, each with rule, checked,
/// allowed, denied, denied_keys, top, denied_clients and top_clients. A value
/// that is no UTF-8 is written as {"base64":"…"}.
[[nodiscard]] std::string report_json(const Report& report);

}  // namespace stint::inline v0::replay
