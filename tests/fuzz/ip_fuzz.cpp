// Addresses and networks from any bytes: normalising is idempotent, what is no
// address stays as it is, what is written reads as the same address, and a
// network holds exactly the addresses that share its prefix.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/ip.hpp"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void check_normalise(std::string_view text, int prefix) {
    stint::IpText buffer;
    stint::IpText again_buffer;
    std::optional<stint::IpAddress> address;
    const std::string_view normal = stint::normalise_ip(text, prefix, buffer, &address);
    require(stint::normalise_ip(normal, prefix, again_buffer) == normal);
    require(address == stint::parse_ip_endpoint(text));
    if (!address) {
        require(normal == text);
        return;
    }
    const stint::IpAddress cut = address->v4 ? *address : address->cut(prefix);
    require(stint::parse_ip(normal) == cut);
    require(normal.size() <= 39);
    require(stint::parse_ip(stint::write_ip(*address, buffer)) == address);
}

void check_plain(std::string_view text) {
    const auto plain = stint::parse_ip(text);
    if (!plain) return;
    require(stint::parse_ip_endpoint(text) == plain);
    const auto network = stint::parse_cidr(text);
    require(network && network->address == *plain && network->prefix == plain->bits() && network->contains(*plain));
    // Another spelling of the same address.
    if (!plain->v4) require(stint::parse_ip_endpoint("[" + std::string{text} + "]:443") == plain);
}

void check_cidr(std::string_view text) {
    const auto network = stint::parse_cidr(text);
    if (!network) return;
    require(network->prefix >= 0 && network->prefix <= network->address.bits());
    require(network->address.cut(network->prefix) == network->address);
    require(network->contains(network->address));
    stint::IpText buffer;
    const std::string written =
        std::string{stint::write_ip(network->address, buffer)} + "/" + std::to_string(network->prefix);
    require(stint::parse_cidr(written) == *network);
    if (network->prefix > 0) {
        stint::IpAddress outside = network->address;
        const int bit = network->prefix - 1;
        (bit < 64 ? outside.high : outside.low) ^= std::uint64_t{1} << (63 - bit % 64);
        require(!network->contains(outside));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
    check_normalise(text, 1 + data[0] % 128);
    check_plain(text);
    check_cidr(text);
    return 0;
}
