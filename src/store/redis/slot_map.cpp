#include "store/redis/slot_map.hpp"

#include <algorithm>
#include <utility>

namespace stint::inline v0::store::redis {
namespace {

constexpr std::uint16_t kPolynomial = 0x1021;
constexpr std::size_t kNodesMax = 1'000;  // a cluster has at most so many

constexpr std::array<std::uint16_t, 256> crc_table() {
    std::array<std::uint16_t, 256> table{};
    for (unsigned byte = 0; byte < table.size(); ++byte) {
        unsigned crc = byte << 8;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000) != 0 ? crc << 1 ^ kPolynomial : crc << 1;
        table[byte] = static_cast<std::uint16_t>(crc & 0xffff);
    }
    return table;
}

std::uint16_t crc16(std::string_view bytes) noexcept {
    static constexpr auto kTable = crc_table();
    unsigned crc = 0;
    for (const char byte : bytes) crc = (crc << 8 & 0xffff) ^ kTable[(crc >> 8) ^ static_cast<unsigned char>(byte)];
    return static_cast<std::uint16_t>(crc);
}

struct Range {
    std::uint16_t first = 0;
    std::uint16_t last = 0;
    Endpoint primary{};
};

/// Reads [host, port, …].
std::optional<Endpoint> read_node(const resp::Value& value, const std::string& asked) {
    if (value.size() < 2) return std::nullopt;
    const std::string_view host = value.begin()->text();
    const resp::Value& port = *std::next(value.begin());
    if (port.type() != resp::Type::integer || port.integer() < 1 || port.integer() > 0xffff) return std::nullopt;
    return Endpoint{host.empty() || host == "?" ? asked : std::string{host},
                    static_cast<std::uint16_t>(port.integer())};
}

/// Reads [first slot, last slot, [host, port, …], replicas…].
std::optional<Range> read_range(const resp::Value& value, const std::string& asked) {
    if (value.type() != resp::Type::array || value.size() < 3) return std::nullopt;
    auto at = value.begin();
    const resp::Value& first = *at++;
    const resp::Value& last = *at++;
    auto primary = read_node(*at, asked);
    if (first.type() != resp::Type::integer || last.type() != resp::Type::integer || first.integer() < 0 ||
        last.integer() < first.integer() || last.integer() >= kSlots || !primary) {
        return std::nullopt;
    }
    return Range{static_cast<std::uint16_t>(first.integer()), static_cast<std::uint16_t>(last.integer()),
                 std::move(*primary)};
}

}  // namespace

std::uint16_t slot_of(std::string_view key) noexcept {
    const auto open = key.find('{');
    if (open != std::string_view::npos) {
        const auto close = key.find('}', open + 1);
        if (close != std::string_view::npos && close > open + 1) key = key.substr(open + 1, close - open - 1);
    }
    return crc16(key) % kSlots;
}

std::optional<std::vector<Endpoint>> read_nodes(const resp::Value& reply, const std::string& asked) {
    if (!SlotMap::read(reply, asked)) return std::nullopt;
    std::vector<Endpoint> nodes;
    for (const resp::Value& range : reply) {
        for (auto at = std::next(range.begin(), 2); at != range.end(); ++at) {
            auto node = read_node(*at, asked);
            if (node && std::ranges::find(nodes, *node) == nodes.end()) nodes.push_back(std::move(*node));
        }
    }
    return nodes;
}

std::optional<SlotMap> SlotMap::read(const resp::Value& reply, const std::string& asked) {
    if (reply.type() != resp::Type::array || reply.size() == 0) return std::nullopt;
    SlotMap map;
    for (const resp::Value& value : reply) {
        const auto range = read_range(value, asked);
        if (!range) return std::nullopt;
        const std::uint16_t number = map.number_of(range->primary);
        std::fill(map.owners_.begin() + range->first, map.owners_.begin() + range->last + 1, number);
    }
    return map;
}

const Endpoint* SlotMap::owner(std::uint16_t slot) const noexcept {
    const std::uint16_t number = owners_[slot % kSlots];
    return number == kNobody ? nullptr : &nodes_[number];
}

void SlotMap::set_owner(std::uint16_t slot, const Endpoint& node) {
    owners_[slot % kSlots] = number_of(node);
}

std::uint16_t SlotMap::number_of(const Endpoint& node) {
    const auto found = std::ranges::find(nodes_, node);
    if (found == nodes_.end() && nodes_.size() == kNodesMax) return kNobody;
    const auto number = static_cast<std::uint16_t>(found - nodes_.begin());
    if (found == nodes_.end()) nodes_.push_back(node);
    return number;
}

}  // namespace stint::inline v0::store::redis
