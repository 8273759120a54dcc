#include "engine/lease_token.hpp"

#include <fmt/format.h>

#include <charconv>
#include <random>

namespace stint::engine {
namespace {

constexpr char kSeparator = '~';
constexpr std::size_t kWordDigits = 16;

std::optional<std::uint64_t> parse_word(std::string_view digits) {
    std::uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    if (digits.size() != kWordDigits || std::from_chars(digits.data(), end, value, 16).ptr != end) return std::nullopt;
    return value;
}

/// Returns: the text up to the next separator, and takes both off `text`.
std::string_view take_field(std::string_view& text) {
    const std::size_t length = std::min(text.find(kSeparator), text.size());
    const std::string_view field = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return field;
}

}  // namespace

std::string LeaseToken::to_string() const {
    if (counters.empty()) return {};
    std::string text = fmt::format("{:016x}", id);
    for (const Digest& counter : counters) text += fmt::format("~{:016x}{:016x}", counter.high, counter.low);
    return text;
}

std::optional<LeaseToken> LeaseToken::parse(std::string_view text) {
    const auto id = parse_word(take_field(text));
    if (!id) return std::nullopt;
    LeaseToken token{*id, {}};
    while (!text.empty()) {
        const std::string_view counter = take_field(text);
        const auto high = parse_word(counter.substr(0, kWordDigits));
        const auto low = parse_word(counter.substr(std::min(kWordDigits, counter.size())));
        if (!high || !low) return std::nullopt;
        token.counters.push_back({*high, *low});
    }
    if (token.counters.empty()) return std::nullopt;
    return token;
}

std::uint64_t LeaseToken::random_id() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

}  // namespace stint::engine
