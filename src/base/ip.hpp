// IP addresses as limits see them: parsed once to a number, so that all the
// spellings of one address are one caller, and IPv6 cut to a prefix, because
// one subscriber has 2^64 addresses. Text that is no address stays as it is.
// Tested by ip_test.cpp and fuzz/ip_fuzz.cpp. Threads: values and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"

namespace stint::inline v0 {

/// An address. IPv4 (also when it came IPv4-mapped, ::ffff:0:0/96) stands in
/// the upper 32 bits of `high`, so that a prefix is a prefix in both families.
struct IpAddress {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    bool v4 = false;

    [[nodiscard]] int bits() const noexcept { return v4 ? 32 : 128; }
    /// Returns: this address with all bits after the first `prefix` cleared.
    /// Requires: 0 <= prefix <= bits().
    [[nodiscard]] IpAddress cut(int prefix) const noexcept;

    friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

/// Reads an address and nothing else: dotted IPv4 without leading zeros, or
/// IPv6 in any spelling. IPv4-mapped IPv6 becomes IPv4.
[[nodiscard]] std::optional<IpAddress> parse_ip(std::string_view text) noexcept;

/// Reads an address as it comes from logs, sockets and proxies: also
/// `192.0.2.7:80`, `[2001:db8::1]`, `[2001:db8::1]:443` and `fe80::1%eth0`;
/// port and zone are dropped.
[[nodiscard]] std::optional<IpAddress> parse_ip_endpoint(std::string_view text) noexcept;

/// Space for the text of any address.
using IpText = std::array<char, 48>;

/// Writes the address canonically (RFC 5952). Returns: a view into `buffer`.
std::string_view write_ip(const IpAddress& address, IpText& buffer) noexcept;

/// The value that the attribute `ip` counts by: an address in canonical text,
/// IPv6 cut to `ipv6_prefix` bits; any other bytes unchanged (a view of `text`).
/// Returns: that text, in `buffer` where it had to be written anew; and in
/// `address`, if not null, the whole address, or nothing.
std::string_view normalise_ip(std::string_view text, int ipv6_prefix, IpText& buffer,
                              std::optional<IpAddress>* address = nullptr) noexcept;

/// The addresses that share a prefix.
struct IpNetwork {
    IpAddress address;  ///< cut to the prefix
    int prefix = 0;

    [[nodiscard]] bool contains(const IpAddress& other) const noexcept {
        return other.v4 == address.v4 && other.cut(prefix) == address;
    }
    friend bool operator==(const IpNetwork&, const IpNetwork&) = default;
};

/// Reads `10.0.0.0/8`, `2001:db8::/32`, or an address, which is a network of
/// one. Bits after the prefix are cleared. An IPv4-mapped network of at least
/// 96 bits becomes IPv4. Errors: the reason, in words for a person.
[[nodiscard]] Result<IpNetwork> parse_cidr(std::string_view text);

}  // namespace stint::inline v0
