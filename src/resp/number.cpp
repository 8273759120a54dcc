#include "resp/number.hpp"

#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>

namespace stint::inline v0::resp {
namespace {

tl::unexpected<std::string_view> wrong(std::string_view reason) noexcept {
    return tl::unexpected<std::string_view>{reason};
}

bool is_digit(char byte) noexcept {
    return byte >= '0' && byte <= '9';
}

/// Takes the digits that `text` begins with.
/// Returns: whether there was any.
bool skip_digits(std::string_view& text) noexcept {
    std::size_t count = 0;
    while (count < text.size() && is_digit(text[count])) ++count;
    text.remove_prefix(count);
    return count > 0;
}

void skip_sign(std::string_view& text) noexcept {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
}

bool is_decimal(std::string_view text) noexcept {
    skip_sign(text);
    if (!skip_digits(text)) return false;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (!skip_digits(text)) return false;
    }
    if (text.starts_with('e') || text.starts_with('E')) {
        text.remove_prefix(1);
        skip_sign(text);
        if (!skip_digits(text)) return false;
    }
    return text.empty();
}

/// from_chars takes no plus sign.
std::string_view without_plus(std::string_view text) noexcept {
    if (text.size() > 1 && text[0] == '+' && is_digit(text[1])) text.remove_prefix(1);
    return text;
}

}  // namespace

Parsed<std::uint64_t> parse_length(std::string_view text) noexcept {
    std::uint64_t length = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, length);
    if (error == std::errc::result_out_of_range) return wrong("a length beyond 64 bits");
    if (error != std::errc{} || stop != end) return wrong("a length that is not digits only");
    return length;
}

Parsed<std::int64_t> parse_integer(std::string_view text) noexcept {
    text = without_plus(text);
    std::int64_t integer = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, integer);
    if (stop != end || error == std::errc::invalid_argument) return wrong("an integer that is not digits after a sign");
    if (error == std::errc::result_out_of_range) return wrong("an integer beyond 64 bits");
    return integer;
}

Parsed<double> parse_real(std::string_view text) noexcept {
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    if (text == "nan" || text == "-nan") return std::numeric_limits<double>::quiet_NaN();
    if (!is_decimal(text)) return wrong("a double that is neither a decimal number nor inf, -inf or nan");
    text = without_plus(text);
    double real = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), real);
    if (error != std::errc{}) return wrong("a number outside the range of a double");
    return real;
}

bool is_big_number(std::string_view text) noexcept {
    skip_sign(text);
    return skip_digits(text) && text.empty();
}

}  // namespace stint::inline v0::resp
