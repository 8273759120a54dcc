// The line that Apache and nginx write: `%h %l %u [time] "request" status bytes`,
// and in the combined format `"referer" "agent"` after it.
// Tested by clf_line_test.cpp and fuzz/access_log_fuzz.cpp. Threads: pure functions.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "replay/access_record.hpp"
#include "replay/scratch.hpp"

namespace stint::inline v0::replay {

/// A line counts if it begins with an address (any bytes but a space, and not
/// `-`) and holds a time in brackets after it; all later fields are absent as
/// soon as one is missing or malformed. `-` as user, status, referer or agent
/// is absent. `combined`: read referer and agent too.
/// Returns: views into `line` and `scratch`; or the reason why it does not count.
[[nodiscard]] Result<AccessRecord, std::string_view> parse_clf_line(std::string_view line, bool combined,
                                                                    Scratch& scratch);

/// Undoes `\xHH`, `\"` and `\\`; any other backslash stays as it is.
/// Returns: `raw` itself if there is nothing to undo, else a view into `scratch`.
[[nodiscard]] std::string_view unescape(std::string_view raw, Scratch& scratch);

}  // namespace stint::inline v0::replay
