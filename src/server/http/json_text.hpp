// Writing JSON text. Replies are small and their shape is fixed, so that they
// are written directly instead of through a document.
#pragma once

#include <string>
#include <string_view>

namespace stint::inline v0::http {

/// Appends `text` as a JSON string with its quotes. Requires: UTF-8.
void append_json_string(std::string& out, std::string_view text);

/// Returns: `text` for a message: no longer than 64 bytes, cut at a character.
[[nodiscard]] std::string shortened(std::string_view text);

}  // namespace stint::inline v0::http
