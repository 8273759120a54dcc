// Waiting for what other processes do. Threads: any.
#pragma once

#include <poll.h>

#include <chrono>

namespace stint::testing_redis {

/// Returns: whether the condition came true within the time.
template <typename Condition>
[[nodiscard]] bool until(const Condition& condition, std::chrono::milliseconds within = std::chrono::seconds{20}) {
    const auto give_up = std::chrono::steady_clock::now() + within;
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= give_up) return false;
        (void)poll(nullptr, 0, 2);
    }
    return true;
}

}  // namespace stint::testing_redis
