// Waiting for what other processes do. Threads: any.
#pragma once

#include <poll.h>

#include <chrono>

namespace stint::inline v0::testing_redis {

/// Returns: whether the condition came true within the time.
template <typename Condition>
[[nodiscard]] bool until(const Condition& condition, std::chrono::milliseconds within = std::chrono::seconds{20}) {
    const auto give_up = std::chrono::steady_clock::now() + within;
    for (int pause_ms = 1; !condition(); pause_ms = pause_ms < 20 ? pause_ms + 1 : pause_ms) {
        if (std::chrono::steady_clock::now() >= give_up) return false;
        (void)poll(nullptr, 0, pause_ms);
    }
    return true;
}

}  // namespace stint::inline v0::testing_redis
