// A real cluster of three primaries with a replica each, and a primary with
// its replica watched by three sentinels. Threads: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "redis/redis_server.hpp"
#include "stint/redis_store.hpp"

namespace stint::inline v0::testing_redis {

class RedisCluster {
public:
    /// Starts it and waits until every node serves. Errors: throws std::runtime_error.
    RedisCluster();

    [[nodiscard]] RedisServer& node(std::size_t index) { return nodes_[index]; }
    /// Returns: the index of the node that has a slot, as it says itself.
    [[nodiscard]] std::size_t owner_of(std::uint16_t slot) const;
    [[nodiscard]] std::uint16_t slot_of(const std::string& key) const;
    [[nodiscard]] std::string id_of(std::size_t index) const;
    /// Returns: the index of the primary that has a slot at the start.
    [[nodiscard]] static std::size_t first_owner_of(std::uint16_t slot);
    /// Returns: the index of the replica that a primary has at the start.
    [[nodiscard]] static std::size_t first_replica_of(std::size_t primary);
    /// Returns: the options of a store on it, without a deadline of their own.
    [[nodiscard]] RedisOptions options() const;

    /// Moves a slot with all its keys, one key at a time.
    void move_slot(std::uint16_t slot, std::size_t to);

private:
    std::deque<RedisServer> nodes_;
};

class SentinelGroup {
public:
    SentinelGroup();

    /// Returns: the options of a store behind it, without a deadline of their own.
    [[nodiscard]] RedisOptions options() const;

    RedisServer primary;
    RedisServer replica;
    std::deque<RedisSentinel> sentinels;
};

}  // namespace stint::inline v0::testing_redis
