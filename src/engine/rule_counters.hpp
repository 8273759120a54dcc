// What happened to the requests of each rule, counted across reloads: a rule
// that comes back counts on. Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/sharded_counter.hpp"
#include "stint/limiter.hpp"

namespace stint::inline v0::engine {

class RuleCounters {
public:
    explicit RuleCounters(std::string name) : name_(std::move(name)) {}

    [[nodiscard]] std::string_view name() const noexcept { return name_; }

    enum class Event : std::uint8_t { allowed, denied, shadow_denied, banned, store_failure, cached_denial };
    void count(Event event) noexcept {
        shards_[ShardedCounter::this_shard() % kShards].events[static_cast<std::size_t>(event)].fetch_add(
            1, std::memory_order_relaxed);
    }
    [[nodiscard]] RuleStats stats() const noexcept {
        return {name_,
                sum(Event::allowed),
                sum(Event::denied),
                sum(Event::shadow_denied),
                sum(Event::banned),
                sum(Event::store_failure),
                sum(Event::cached_denial)};
    }

private:
    static constexpr std::size_t kShards = 8;
    struct alignas(64) Shard {
        std::array<std::atomic<std::uint64_t>, 6> events{};
    };

    [[nodiscard]] std::uint64_t sum(Event event) const noexcept {
        std::uint64_t total = 0;
        for (const Shard& shard : shards_) {
            total += shard.events[static_cast<std::size_t>(event)].load(std::memory_order_relaxed);
        }
        return total;
    }

    std::string name_;
    std::array<Shard, kShards> shards_{};
};

/// The counters of every rule that was ever in force. They stay where they
/// are, so that decisions can point to the names.
class RuleCounterBook {
public:
    [[nodiscard]] RuleCounters& of(std::string_view rule) {
        const std::lock_guard lock{mutex_};
        const auto found = by_name_.find(rule);
        if (found != by_name_.end()) return *found->second;
        RuleCounters& counters = all_.emplace_back(std::string{rule});
        by_name_.emplace(counters.name(), &counters);
        return counters;
    }
    [[nodiscard]] std::vector<RuleStats> stats() const {
        const std::lock_guard lock{mutex_};
        std::vector<RuleStats> stats;
        for (const RuleCounters& counters : all_) stats.push_back(counters.stats());
        return stats;
    }

private:
    mutable std::mutex mutex_;
    std::deque<RuleCounters> all_;
    std::map<std::string_view, RuleCounters*> by_name_;
};

}  // namespace stint::inline v0::engine
