// The numbers of RESP as text. Stricter than the standard library's readers:
// no white space, no spelling beyond the protocol's. Threads: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"

namespace stint::inline v0::resp {

/// A value, or what is wrong with the text: a constant, not allocated.
template <typename T>
using Parsed = Result<T, std::string_view>;

/// A length or count: digits only, no sign.
[[nodiscard]] Parsed<std::uint64_t> parse_length(std::string_view text) noexcept;
/// Digits, after an optional sign, within 64 bits.
[[nodiscard]] Parsed<std::int64_t> parse_integer(std::string_view text) noexcept;
/// An optional sign, digits, optionally a dot and digits, optionally an
/// exponent; or inf, -inf, nan, or the -nan of Redis before 7.2. A number that
/// a double can only hold as 0 or infinity is refused.
[[nodiscard]] Parsed<double> parse_real(std::string_view text) noexcept;
/// Returns: whether this is digits after an optional sign, of any length.
[[nodiscard]] bool is_big_number(std::string_view text) noexcept;

}  // namespace stint::inline v0::resp
