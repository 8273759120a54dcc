#include "base/ip.hpp"

#include <algorithm>
#include <boost/asio/ip/address_v6.hpp>
#include <cstring>
#include <string>

namespace stint::inline v0 {
namespace {

constexpr std::size_t kIpv6TextMax = 45;       // 8 groups, the last two as dotted IPv4
constexpr std::size_t kEndpointTextMax = 128;  // address, zone, brackets and port

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

// Dotted IPv4 has one spelling only: four numbers to 255 without leading zeros.
std::optional<std::uint32_t> parse_ipv4(std::string_view text) noexcept {
    if (text.size() < 7 || text.size() > 15) return std::nullopt;
    std::uint32_t address = 0;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (int part = 0; part < 4; ++part) {
        if (part > 0) {
            if (at == end || *at != '.') return std::nullopt;
            ++at;
        }
        if (at == end || !is_digit(*at)) return std::nullopt;
        std::uint32_t number = static_cast<std::uint32_t>(*at++ - '0');
        const bool zero = number == 0;
        while (at != end && is_digit(*at)) {
            number = number * 10 + static_cast<std::uint32_t>(*at++ - '0');
            if (zero || number > 255) return std::nullopt;
        }
        address = (address << 8) | number;
    }
    return at == end ? std::optional{address} : std::nullopt;
}

IpAddress from_ipv4(std::uint32_t address) noexcept {
    return {.high = std::uint64_t{address} << 32, .low = 0, .v4 = true};
}

// As written: an IPv4-mapped address is still one of 128 bits.
std::optional<IpAddress> parse_ipv6(std::string_view text) noexcept {
    if (text.size() < 2 || text.size() > kIpv6TextMax) return std::nullopt;
    if (text.find('%') != text.npos || text.find('\0') != text.npos) return std::nullopt;
    std::array<char, kIpv6TextMax + 1> terminated{};
    std::memcpy(terminated.data(), text.data(), text.size());
    boost::system::error_code ec;
    const auto parsed = boost::asio::ip::make_address_v6(terminated.data(), ec);
    if (ec) return std::nullopt;
    IpAddress address;
    const auto bytes = parsed.to_bytes();
    for (std::size_t i = 0; i < 8; ++i) {
        address.high = (address.high << 8) | bytes[i];
        address.low = (address.low << 8) | bytes[i + 8];
    }
    return address;
}

bool is_mapped(const IpAddress& address) noexcept {
    return !address.v4 && address.high == 0 && (address.low >> 32) == 0xffff;
}

IpAddress unmapped(const IpAddress& address) noexcept {
    return is_mapped(address) ? from_ipv4(static_cast<std::uint32_t>(address.low)) : address;
}

bool is_port(std::string_view text) noexcept {
    if (text.empty() || text.size() > 5 || !std::all_of(text.begin(), text.end(), is_digit)) return false;
    std::uint32_t port = 0;
    for (const char c : text) port = port * 10 + static_cast<std::uint32_t>(c - '0');
    return port <= 65'535;
}

std::optional<IpAddress> parse_ipv6_zone(std::string_view text) noexcept {
    const std::size_t percent = text.find('%');
    if (percent != text.npos) {
        if (percent + 1 == text.size()) return std::nullopt;
        text = text.substr(0, percent);
    }
    const auto address = parse_ipv6(text);
    if (!address) return std::nullopt;
    return unmapped(*address);
}

// What stands before a port, or in brackets. Requires: text is no plain IPv4.
std::optional<IpAddress> parse_not_ipv4(std::string_view text) noexcept {
    const std::size_t colon = text.find(':');
    if (colon == text.npos || text.size() > kEndpointTextMax) return std::nullopt;
    if (text.front() == '[') {
        const std::size_t bracket = text.find(']');
        if (bracket == text.npos) return std::nullopt;
        const std::string_view rest = text.substr(bracket + 1);
        if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return std::nullopt;
        return parse_ipv6_zone(text.substr(1, bracket - 1));
    }
    if (text.find(':', colon + 1) == text.npos) {
        const auto v4 = parse_ipv4(text.substr(0, colon));
        if (!v4 || !is_port(text.substr(colon + 1))) return std::nullopt;
        return from_ipv4(*v4);
    }
    return parse_ipv6_zone(text);
}

char* write_number(std::uint32_t number, char* out) noexcept {
    if (number >= 100) *out++ = static_cast<char>('0' + number / 100);
    if (number >= 10) *out++ = static_cast<char>('0' + number / 10 % 10);
    *out++ = static_cast<char>('0' + number % 10);
    return out;
}

char* write_group(std::uint32_t group, char* out) noexcept {
    constexpr const char* kHex = "0123456789abcdef";
    bool started = false;
    for (int shift = 12; shift >= 0; shift -= 4) {
        const std::uint32_t digit = (group >> shift) & 0xf;
        started = started || digit != 0 || shift == 0;
        if (started) *out++ = kHex[digit];
    }
    return out;
}

struct Run {
    std::size_t begin = 8;
    std::size_t length = 1;  // RFC 5952, 4.2.2: one group of zeros is not shortened
};

Run longest_zero_run(const std::array<std::uint32_t, 8>& groups) noexcept {
    Run best;
    for (std::size_t i = 0; i < 8;) {
        std::size_t end = i;
        while (end < 8 && groups[end] == 0) ++end;
        if (end - i > best.length) best = {.begin = i, .length = end - i};
        i = end + 1;
    }
    return best;
}

char* write_ipv6(const IpAddress& address, char* out) noexcept {
    std::array<std::uint32_t, 8> groups{};
    for (std::size_t i = 0; i < 4; ++i) {
        groups[i] = static_cast<std::uint32_t>(address.high >> (48 - 16 * i)) & 0xffff;
        groups[i + 4] = static_cast<std::uint32_t>(address.low >> (48 - 16 * i)) & 0xffff;
    }
    const Run zeros = longest_zero_run(groups);
    for (std::size_t i = 0; i < 8;) {
        if (i == zeros.begin) {
            *out++ = ':';
            *out++ = ':';
            i += zeros.length;
            continue;
        }
        if (i > 0 && i != zeros.begin + zeros.length) *out++ = ':';
        out = write_group(groups[i++], out);
    }
    return out;
}

}  // namespace

IpAddress IpAddress::cut(int prefix) const noexcept {
    IpAddress result = *this;
    if (prefix <= 0) {
        result.high = 0;
    } else if (prefix < 64) {
        result.high &= ~std::uint64_t{0} << (64 - prefix);
    }
    if (prefix <= 64) {
        result.low = 0;
    } else if (prefix < 128) {
        result.low &= ~std::uint64_t{0} << (128 - prefix);
    }
    return result;
}

std::optional<IpAddress> parse_ip(std::string_view text) noexcept {
    if (const auto v4 = parse_ipv4(text)) return from_ipv4(*v4);
    const auto v6 = parse_ipv6(text);
    if (!v6) return std::nullopt;
    return unmapped(*v6);
}

std::optional<IpAddress> parse_ip_endpoint(std::string_view text) noexcept {
    if (const auto v4 = parse_ipv4(text)) return from_ipv4(*v4);
    return parse_not_ipv4(text);
}

std::string_view write_ip(const IpAddress& address, IpText& buffer) noexcept {
    char* out = buffer.data();
    if (address.v4) {
        for (int shift = 56; shift >= 32; shift -= 8) {
            if (shift < 56) *out++ = '.';
            out = write_number(static_cast<std::uint32_t>(address.high >> shift) & 0xff, out);
        }
    } else {
        out = write_ipv6(address, out);
    }
    return {buffer.data(), static_cast<std::size_t>(out - buffer.data())};
}

std::string_view normalise_ip(std::string_view text, int ipv6_prefix, IpText& buffer,
                              std::optional<IpAddress>* address) noexcept {
    if (const auto v4 = parse_ipv4(text)) {
        if (address != nullptr) *address = from_ipv4(*v4);
        return text;
    }
    const auto parsed = parse_not_ipv4(text);
    if (address != nullptr) *address = parsed;
    if (!parsed) return text;
    return write_ip(parsed->v4 ? *parsed : parsed->cut(ipv6_prefix), buffer);
}

Result<IpNetwork> parse_cidr(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view address_text = text.substr(0, slash);
    IpAddress address;
    if (const auto v4 = parse_ipv4(address_text)) {
        address = from_ipv4(*v4);
    } else if (const auto v6 = parse_ipv6(address_text)) {
        address = *v6;
    } else {
        return failure("'" + std::string{address_text} + "' is not an IP address");
    }
    int prefix = address.bits();
    if (slash != text.npos) {
        const std::string_view digits = text.substr(slash + 1);
        const bool number = !digits.empty() && digits.size() <= 3 &&
                            std::all_of(digits.begin(), digits.end(), is_digit) &&
                            (digits.size() == 1 || digits.front() != '0');
        int wanted = -1;
        if (number) wanted = std::stoi(std::string{digits});
        if (wanted < 0 || wanted > prefix) {
            return failure("the prefix length after '/' must be a number from 0 to " + std::to_string(prefix));
        }
        prefix = wanted;
    }
    if (is_mapped(address)) {
        if (prefix < 96) return failure("an IPv4-mapped network needs a prefix of at least 96 bits");
        address = unmapped(address);
        prefix -= 96;
    }
    return IpNetwork{.address = address.cut(prefix), .prefix = prefix};
}

}  // namespace stint::inline v0
