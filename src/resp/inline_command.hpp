// Commands typed by hand, without lengths: `SET key "two words"`. The quoting is
// that of Redis. Between double quotes, \n \r \t \b \a and \xHH stand for a
// byte, and a backslash before any other byte for that byte; between single
// quotes only \' is special. A quote may open inside an argument, and after it
// closes comes white space. Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "resp/number.hpp"

namespace stint::inline v0::resp {

/// Takes the next argument off the front of `line`, which has no line end. It
/// is unquoted where it stands: its bytes in `line` are overwritten.
/// Returns: the argument, which may be empty, or nothing if there is none left.
/// Errors: quotes that do not close, or not before white space; a zero byte
/// outside of quotes.
[[nodiscard]] Parsed<std::optional<std::string_view>> take_argument(std::span<char>& line) noexcept;

}  // namespace stint::inline v0::resp
