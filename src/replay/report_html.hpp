// The report as one page that needs nothing else: no network, no server.
// Charts by dygraphs, which the build embeds. Tested by report_html_test.cpp.
// Threads: pure.
#pragma once

#include <string>

#include "replay/report.hpp"

namespace stint::inline v0::replay {

/// Returns: an HTML document in UTF-8. Everything that came from a log is
/// escaped, and the page forbids itself every connection and every script but
/// its own.
[[nodiscard]] std::string report_html(const Report& report);

}  // namespace stint::inline v0::replay
