// A counter that many threads increase without disturbing each other.
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stint::inline v0 {

class ShardedCounter {
public:
    void add(std::uint64_t amount = 1) noexcept {
        shards_[this_shard()].value.fetch_add(amount, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t value() const noexcept {
        std::uint64_t sum = 0;
        for (const Shard& shard : shards_) sum += shard.value.load(std::memory_order_relaxed);
        return sum;
    }

    static constexpr std::size_t kShards = 16;

    /// Returns: the shard of this thread; threads are dealt out in turn.
    [[nodiscard]] static std::size_t this_shard() noexcept {
        static std::atomic<std::size_t> next{0};
        thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed) % kShards;
        return mine;
    }

private:
    struct alignas(64) Shard {
        std::atomic<std::uint64_t> value{0};
    };
    std::array<Shard, kShards> shards_{};
};

}  // namespace stint::inline v0
