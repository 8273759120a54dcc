// When the machine let this process not run: a thread that does nothing but
// wake every few milliseconds notes when it woke late. It never calls what is
// measured, so that nothing which blocks there passes for a busy machine.
// Threads: any.
#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace stint::inline v0::testing_chaos {

/// Intervals, each after those before it.
class Stalls {
public:
    using Clock = std::chrono::steady_clock;

    void note(Clock::time_point from, Clock::time_point to) { stalls_.push_back({from, to}); }

    /// Returns: the part of the time in which the machine stood still.
    [[nodiscard]] Clock::duration within(Clock::time_point from, Clock::time_point to) const {
        Clock::duration sum{};
        for (const Stall& stall : stalls_) {
            sum += std::max(Clock::duration{}, std::min(to, stall.to) - std::max(from, stall.from));
        }
        return sum;
    }

private:
    struct Stall {
        Clock::time_point from;
        Clock::time_point to;
    };
    std::vector<Stall> stalls_;
};

class StallWatch {
public:
    using Clock = Stalls::Clock;

    StallWatch() : thread_([this](const std::stop_token& stop) { watch(stop); }) {}

    /// Returns: the part of the time in which the machine stood still. What has just ended may be missing.
    [[nodiscard]] Clock::duration within(Clock::time_point from, Clock::time_point to) const {
        const std::lock_guard lock{mutex_};
        return stalls_.within(from, to);
    }

private:
    static constexpr std::chrono::milliseconds kWakeEvery{5};
    static constexpr std::chrono::milliseconds kLateMost{20};

    void watch(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            const auto due = Clock::now() + kWakeEvery;
            (void)poll(nullptr, 0, static_cast<int>(kWakeEvery.count()));
            const auto now = Clock::now();
            if (now - due <= kLateMost) continue;
            const std::lock_guard lock{mutex_};
            stalls_.note(due, now);
        }
    }

    mutable std::mutex mutex_;
    Stalls stalls_;
    std::jthread thread_;  // last: it uses the others
};

}  // namespace stint::inline v0::testing_chaos
