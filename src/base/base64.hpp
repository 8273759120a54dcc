// Base64 as RFC 4648 section 4 has it: the standard alphabet, padded. It
// carries bytes that are no text through JSON. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stint::inline v0 {

/// Returns: the text for these bytes, with padding and without line breaks.
[[nodiscard]] std::string base64_encode(std::string_view bytes);

/// Appends the bytes that `text` stands for to `out`. Only the one canonical
/// text of some bytes is accepted: right alphabet, right padding, unused bits 0.
/// Returns: whether it was; if not, `out` is as it was.
[[nodiscard]] bool base64_decode(std::string_view text, std::string& out);

}  // namespace stint::inline v0
