// A value that many threads read all the time and that is replaced now and
// then: the rules in force. Readers wait for nobody, and up to 16 threads share
// no cache line; a writer waits until nobody reads the old value any more. (The
// counting of readers in two turns is that of sleepable RCU in the Linux kernel.)
#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "base/sharded_counter.hpp"

namespace stint::engine {

template <typename T>
class Published {
public:
    explicit Published(std::unique_ptr<const T> value) : value_(value.release()) {}
    Published(const Published&) = delete;
    Published& operator=(const Published&) = delete;
    ~Published() { delete value_.load(); }

    /// Keeps the value alive while it lives; meant for one check.
    class Reading {
    public:
        Reading(const Reading&) = delete;
        Reading& operator=(const Reading&) = delete;
        ~Reading() { count_.fetch_sub(1, std::memory_order_release); }
        const T& operator*() const noexcept { return *value_; }
        const T* operator->() const noexcept { return value_; }

    private:
        friend class Published;
        explicit Reading(Published& from)
            : count_(from.readers_[from.turn_.load() & 1][ShardedCounter::this_shard()].count) {
            count_.fetch_add(1);
            value_ = from.value_.load();
        }
        std::atomic<std::int64_t>& count_;
        const T* value_;
    };

    [[nodiscard]] Reading read() noexcept { return Reading{*this}; }

    /// Replaces the value. Requires: the caller is not reading.
    void replace(std::unique_ptr<const T> value) {
        const std::lock_guard lock{writers_};
        const std::unique_ptr<const T> old{value_.exchange(value.release())};
        // A reader that has looked at the turn but not yet counted itself is
        // caught by the second round.
        for (int round = 0; round < 2; ++round) {
            const std::size_t turn = turn_.fetch_add(1) & 1;
            while (reading(turn)) sched_yield();
        }
    }

private:
    struct alignas(64) Readers {
        std::atomic<std::int64_t> count{0};
    };

    [[nodiscard]] bool reading(std::size_t turn) const noexcept {
        std::int64_t sum = 0;
        for (const Readers& readers : readers_[turn]) sum += readers.count.load();
        return sum != 0;
    }

    std::atomic<const T*> value_;
    std::atomic<std::size_t> turn_{0};
    std::array<std::array<Readers, ShardedCounter::kShards>, 2> readers_{};
    std::mutex writers_;
};

}  // namespace stint::engine
