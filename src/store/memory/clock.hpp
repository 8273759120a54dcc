// The embedded store's clock: wall time at the start plus a steady clock. It
// follows the wall clock forward (a machine that slept, a corrected clock) and
// never goes back. Threads: any.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

#include "stint/time.hpp"

namespace stint::inline v0::store {

class ForwardClock {
public:
    ForwardClock() : offset_(wall_us() - steady_us()) {}

    [[nodiscard]] Instant now() noexcept {
        const std::int64_t steady = steady_us();
        // Two clocks cost twice as much as one: the wall is asked ten times a second.
        std::int64_t due = next_look_.load(std::memory_order_relaxed);
        if (steady >= due && next_look_.compare_exchange_strong(due, steady + kLookUs, std::memory_order_relaxed)) {
            const std::int64_t wanted = wall_us() - steady;
            std::int64_t offset = offset_.load(std::memory_order_relaxed);
            while (wanted > offset && !offset_.compare_exchange_weak(offset, wanted, std::memory_order_relaxed)) {
            }
        }
        return Instant{Duration{steady + offset_.load(std::memory_order_relaxed)}};
    }

private:
    static constexpr std::int64_t kLookUs = 100'000;

    static std::int64_t wall_us() {
        return std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()).count();
    }
    static std::int64_t steady_us() {
        return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    std::atomic<std::int64_t> offset_;
    std::atomic<std::int64_t> next_look_{0};
};

}  // namespace stint::inline v0::store
