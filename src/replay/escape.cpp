#include "replay/escape.hpp"

#include <algorithm>
#include <cstdint>

namespace stint::inline v0::replay {
namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t size = 0;  // 0: no UTF-8
};

bool is_tail(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// The first character of `bytes`, which is not empty.
Character first_character(std::string_view bytes) noexcept {
    const auto lead = static_cast<unsigned char>(bytes.front());
    if (lead < 0x80) return {.code = lead, .size = 1};
    std::size_t size = 0;
    std::uint32_t code = 0;
    std::uint32_t least = 0;
    if ((lead & 0xE0U) == 0xC0U) {
        size = 2, code = lead & 0x1FU, least = 0x80;
    } else if ((lead & 0xF0U) == 0xE0U) {
        size = 3, code = lead & 0x0FU, least = 0x800;
    } else if ((lead & 0xF8U) == 0xF0U) {
        size = 4, code = lead & 0x07U, least = 0x10000;
    }
    if (size == 0 || bytes.size() < size) return {};
    for (std::size_t i = 1; i < size; ++i) {
        if (!is_tail(bytes[i])) return {};
        code = code << 6 | (static_cast<unsigned char>(bytes[i]) & 0x3FU);
    }
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < least || code > 0x10FFFF || surrogate) return {};
    return {.code = code, .size = size};
}

bool is_harmless(std::uint32_t code) noexcept {
    const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    const bool turns = code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
                       (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
    return !control && !turns;
}

}  // namespace

bool is_utf8(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const std::size_t size = first_character(bytes).size;
        if (size == 0) return false;
        bytes.remove_prefix(size);
    }
    return true;
}

std::string printable(std::string_view bytes, std::size_t bytes_max) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string text;
    std::size_t taken = 0;
    while (taken < bytes.size()) {
        if (taken >= bytes_max) return text + "…";
        const std::string_view rest = bytes.substr(taken);
        const Character next = first_character(rest);
        if (next.size > 0 && is_harmless(next.code)) {
            if (next.code == '\\') text += '\\';
            text += rest.substr(0, next.size);
            taken += next.size;
            continue;
        }
        const std::size_t size = std::max<std::size_t>(next.size, 1);
        for (const char c : rest.substr(0, size)) {
            const auto byte = static_cast<unsigned char>(c);
            text += "\\x";
            text += kHex[byte >> 4];
            text += kHex[byte & 0xFU];
        }
        taken += size;
    }
    return text;
}

std::string html_escape(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

}  // namespace stint::inline v0::replay
