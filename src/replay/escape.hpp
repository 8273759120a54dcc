// Bytes from a log made harmless for a terminal or a page. What somebody once
// sent as his user name shall neither move a cursor nor start a script.
// Tested by escape_test.cpp and fuzz/access_log_fuzz.cpp. Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stint::inline v0::replay {

/// Returns: whether the bytes are UTF-8: no overlong forms, no surrogates,
/// nothing beyond U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

/// Returns: the text with control characters, marks that turn the direction
/// of writing, and bytes that are no UTF-8 as `\xHH`, and a backslash doubled;
/// what comes after about `bytes_max` bytes of the input is replaced by `…`.
[[nodiscard]] std::string printable(std::string_view bytes, std::size_t bytes_max = 200);

/// Returns: the text for element content and quoted attribute values.
/// Requires: UTF-8; use printable() first.
[[nodiscard]] std::string html_escape(std::string_view text);

}  // namespace stint::inline v0::replay
