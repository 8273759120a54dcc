#include "engine/lease_token.hpp"

#include <fmt/format.h>

#include <charconv>
#include <random>

#include "rules/counter_id.hpp"

namespace stint::inline v0::engine {
namespace {

constexpr char kSeparator = '~';
constexpr char kKeySeparator = '.';
constexpr std::size_t kWordDigits = 16;
constexpr std::size_t kKeyBytesMax = 512;
constexpr std::size_t kCountersMax = 64;

std::optional<std::uint64_t> parse_word(std::string_view digits) {
    std::uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    if (digits.size() != kWordDigits || std::from_chars(digits.data(), end, value, 16).ptr != end) return std::nullopt;
    return value;
}

/// Returns: the bytes that hexadecimal text stands for.
std::optional<std::string> parse_bytes(std::string_view digits) {
    if (digits.size() % 2 != 0 || digits.size() > 2 * kKeyBytesMax) return std::nullopt;
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        unsigned char byte = 0;
        const char* end = digits.data() + i + 2;
        if (std::from_chars(digits.data() + i, end, byte, 16).ptr != end) return std::nullopt;
        bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
}

std::optional<CounterRef> parse_counter(std::string_view text) {
    const std::size_t dot = text.find(kKeySeparator);
    const std::string_view digest = text.substr(0, dot);
    const auto high = parse_word(digest.substr(0, kWordDigits));
    const auto low = parse_word(digest.substr(std::min(kWordDigits, digest.size())));
    if (!high || !low) return std::nullopt;
    CounterRef counter{{*high, *low}, nullptr};
    if (dot == std::string_view::npos) return counter;
    auto key = parse_bytes(text.substr(dot + 1));
    if (!key || !rules::counts_leases(counter.digest.low)) return std::nullopt;
    counter.key = std::make_shared<const std::string>(std::move(*key));
    return counter;
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
    for (const CounterRef& counter : counters) {
        text += fmt::format("{}{:016x}{:016x}", kSeparator, counter.digest.high, counter.digest.low);
        if (counter.key == nullptr) continue;
        text += kKeySeparator;
        for (const char byte : *counter.key) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

std::optional<LeaseToken> LeaseToken::parse(std::string_view text) {
    const auto id = parse_word(take_field(text));
    if (!id) return std::nullopt;
    LeaseToken token{*id, {}};
    while (!text.empty()) {
        auto counter = parse_counter(take_field(text));
        if (!counter) return std::nullopt;
        token.counters.push_back(std::move(*counter));
        if (token.counters.size() > kCountersMax) return std::nullopt;
    }
    if (token.counters.empty()) return std::nullopt;
    return token;
}

std::uint64_t LeaseToken::random_id() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

}  // namespace stint::inline v0::engine
