// A value that many threads read all the time and that is replaced now and
// then: the rules in force. Readers wait for nobody, and up to 16 threads share
// no cache line; a writer waits until nobody reads the old value any more.
// Whoever would read for longer than a moment keeps it instead. (The counting of
// readers in two turns is that of sleepable RCU in the Linux kernel.)
// Tested by published_test.cpp.
#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/sharded_counter.hpp"

namespace stint::inline v0::engine {

/// `T` derives from std::enable_shared_from_this.
template <typename T>
class Published {
public:
    explicit Published(std::shared_ptr<const T> value) : value_(value.get()), owner_(std::move(value)) {}
    Published(const Published&) = delete;
    Published& operator=(const Published&) = delete;
    ~Published() = default;

    /// Keeps the value alive while it lives, and a writer waiting; meant for one check that waits for nothing.
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

    /// Returns: the value, for as long as is needed; no writer waits for that. Cost: a count that all threads share.
    [[nodiscard]] std::shared_ptr<const T> keep() noexcept { return read()->shared_from_this(); }

    /// Replaces the value. What is kept of the old one is freed when it is replaced again. Requires: the caller is not
    /// reading.
    void replace(std::shared_ptr<const T> value) {
        const std::lock_guard lock{writers_};
        value_.store(value.get());
        retired_.push_back(std::exchange(owner_, std::move(value)));
        wait_for_readers();
        std::erase_if(retired_, [](const std::shared_ptr<const T>& old) { return old.use_count() == 1; });
    }

private:
    /// A reading takes microseconds; one whose thread is put aside is waited for without haste.
    static constexpr int kYields = 100;
    static constexpr std::chrono::microseconds kPause{100};

    struct alignas(64) Readers {
        std::atomic<std::int64_t> count{0};
    };

    void wait_for_readers() noexcept {
        // A reader that has looked at the turn but not yet counted itself is
        // caught by the second round.
        for (int round = 0; round < 2; ++round) {
            const std::size_t turn = turn_.fetch_add(1) & 1;
            for (int looks = 0; reading(turn); ++looks) {
                if (looks < kYields) {
                    sched_yield();
                } else {
                    std::this_thread::sleep_for(kPause);
                }
            }
        }
    }

    [[nodiscard]] bool reading(std::size_t turn) const noexcept {
        std::int64_t sum = 0;
        for (const Readers& readers : readers_[turn]) sum += readers.count.load();
        return sum != 0;
    }

    std::atomic<const T*> value_;
    std::atomic<std::size_t> turn_{0};
    std::array<std::array<Readers, ShardedCounter::kShards>, 2> readers_{};
    std::mutex writers_;
    std::shared_ptr<const T> owner_;  // of the value
    // Replaced and still kept by somebody: freed by a later writer, as that takes a while, and not by whoever kept it.
    std::vector<std::shared_ptr<const T>> retired_;
};

}  // namespace stint::inline v0::engine
