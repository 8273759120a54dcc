#include "server/http/json_text.hpp"

#include <cstddef>

namespace stint::inline v0::http {

void append_json_string(std::string& out, std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += '"';
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        if (character == '"' || character == '\\') {
            out += '\\';
            out += character;
        } else if (byte < 0x20 || byte == 0x7f) {
            out += "\\u00";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else {
            out += character;
        }
    }
    out += '"';
}

std::string shortened(std::string_view text) {
    constexpr std::size_t kShown = 64;
    if (text.size() <= kShown) return std::string{text};
    std::size_t end = kShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return std::string{text.substr(0, end)} + "...";
}

}  // namespace stint::inline v0::http
