// What is on its way to the store and back: how much of it there is, and changes
// whose answers come to one, those of all counters of a lease.
// Threads: any; the last answer's thread calls the handler.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "stint/limiter.hpp"
#include "stint/store.hpp"

namespace stint::inline v0::engine {

/// So that a limiter does not go before its last handler.
class PendingCount {
public:
    void begin() {
        const std::lock_guard lock{mutex_};
        ++count_;
    }
    void end() {
        const std::lock_guard lock{mutex_};  // whoever waits must not be gone before he is told
        if (--count_ == 0) none_.notify_all();
    }
    void wait_for_none() {
        std::unique_lock lock{mutex_};
        none_.wait(lock, [this] { return count_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable none_;
    std::size_t count_ = 0;
};

/// Of several changes, which must be done for the whole to be.
enum class Join : std::uint8_t { any, all };

[[nodiscard]] inline ChangeAnswer join(std::span<const ChangeAnswer> answers, Join mode) noexcept {
    const bool all = mode == Join::all;
    ChangeAnswer joined{all};
    for (const ChangeAnswer& one : answers) {
        joined.done = all ? joined.done && one.done : joined.done || one.done;
        if (one.error != StoreError::none) joined.error = one.error;
    }
    return joined;
}

/// Ends itself with its last answer. Requires: each of its answers is asked for, once.
class PendingChange {
public:
    PendingChange(PendingCount& pending, std::size_t changes, Join mode, ChangeHandler done)
        : pending_(pending), answers_(changes), left_(changes), mode_(mode), done_(std::move(done)) {
        pending_.begin();
    }

    [[nodiscard]] ChangeAnswer& answer(std::size_t i) noexcept { return answers_[i]; }
    [[nodiscard]] Completion completion() noexcept {
        return {[](void* context) noexcept { static_cast<PendingChange*>(context)->finish_one(); }, this};
    }

private:
    void finish_one() noexcept {
        if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        PendingCount& pending = pending_;
        {
            const std::unique_ptr<PendingChange> self{this};
            done_(join(answers_, mode_));
        }
        pending.end();
    }

    PendingCount& pending_;
    std::vector<ChangeAnswer> answers_;
    std::atomic<std::size_t> left_;
    Join mode_;
    ChangeHandler done_;
};

}  // namespace stint::inline v0::engine
