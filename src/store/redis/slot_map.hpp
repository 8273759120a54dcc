// Which node of a cluster has which of the 16,384 hash slots, and in which
// slot a key lies: CRC-16 (XMODEM) of what stands between its first '{' and
// the next '}'.
// Tested by slot_map_test.cpp. Threads: one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resp/value.hpp"
#include "store/redis/endpoint.hpp"

namespace stint::inline v0::store::redis {

inline constexpr std::uint16_t kSlots = 16'384;

[[nodiscard]] std::uint16_t slot_of(std::string_view key) noexcept;

/// Returns: all nodes that a reply to CLUSTER SLOTS names, replicas too; otherwise as SlotMap::read().
[[nodiscard]] std::optional<std::vector<Endpoint>> read_nodes(const resp::Value& reply, const std::string& asked);

class SlotMap {
public:
    SlotMap() { owners_.fill(kNobody); }

    /// Takes a reply to CLUSTER SLOTS. `asked`: the host that gave it, which stands for one that it leaves out.
    /// Returns: none if it is no such reply, or gives no slot to anybody.
    [[nodiscard]] static std::optional<SlotMap> read(const resp::Value& reply, const std::string& asked);

    /// Returns: the node that has the slot; null if none is known.
    [[nodiscard]] const Endpoint* owner(std::uint16_t slot) const noexcept;
    /// The slot has moved.
    void set_owner(std::uint16_t slot, const Endpoint& node);
    /// Returns: all nodes that have a slot, or had one since the map was read.
    [[nodiscard]] const std::vector<Endpoint>& nodes() const noexcept { return nodes_; }

private:
    static constexpr std::uint16_t kNobody = 0xffff;

    [[nodiscard]] std::uint16_t number_of(const Endpoint& node);

    std::vector<Endpoint> nodes_;
    std::array<std::uint16_t, kSlots> owners_{};  // indices of nodes
};

}  // namespace stint::inline v0::store::redis
