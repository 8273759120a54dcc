#include "base/base64.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace stint::inline v0 {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 64;

constexpr std::array<std::uint8_t, 256> make_digits() {
    std::array<std::uint8_t, 256> digits{};
    digits.fill(kNoDigit);
    for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
        digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
    }
    return digits;
}
constexpr std::array<std::uint8_t, 256> kDigits = make_digits();

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
    return index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0U;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::uint32_t group = byte_at(bytes, at) << 16 | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2);
        text += kAlphabet[group >> 18 & 63];
        text += kAlphabet[group >> 12 & 63];
        text += at + 1 < bytes.size() ? kAlphabet[group >> 6 & 63] : '=';
        text += at + 2 < bytes.size() ? kAlphabet[group & 63] : '=';
    }
    return text;
}

bool base64_decode(std::string_view text, std::string& out) {
    if (text.size() % 4 != 0) return false;
    const std::size_t before = out.size();
    std::size_t padding = 0;
    if (text.ends_with("==")) {
        padding = 2;
    } else if (text.ends_with('=')) {
        padding = 1;
    }
    const std::size_t digits = text.size() - padding;
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (std::size_t at = 0; at < digits; ++at) {
        const std::uint8_t digit = kDigits[static_cast<unsigned char>(text[at])];
        if (digit == kNoDigit) {
            out.resize(before);
            return false;
        }
        bits = bits << 6 | digit;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out += static_cast<char>(bits >> held & 255);
            bits &= (1U << held) - 1;
        }
    }
    if (bits != 0) {
        out.resize(before);
        return false;
    }
    return true;
}

}  // namespace stint::inline v0
