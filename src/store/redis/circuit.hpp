// Whether checks are let through to a server, and when the next attempt to
// reach it is due. After a failure the circuit is open: checks are refused at
// once. Each attempt to connect, sign in and load the scripts is the half-open
// probe; one that succeeds closes it.
// Tested by circuit_test.cpp. Threads: one at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <utility>

namespace stint::inline v0::store::redis {

class Circuit {
public:
    static constexpr std::chrono::milliseconds kBackOffFirst{10};
    static constexpr std::chrono::milliseconds kBackOffMax{500};
    static constexpr std::chrono::seconds kAtOnceEvery{1};
    using Clock = std::chrono::steady_clock;

    enum class Loss : std::uint8_t {
        dropped,      ///< the connection ended, or led to a server that is no primary any more
        unreachable,  ///< there was none yet, or the server does not answer, or cannot serve
    };

    explicit Circuit(std::uint32_t seed) : random_(seed) {}

    [[nodiscard]] bool open() const noexcept { return open_; }

    /// Checks have waited in vain for a connection.
    void trip() noexcept { open_ = true; }
    /// A connection is ready. Returns: whether that closed the circuit.
    bool connected() noexcept { return std::exchange(open_, false); }
    /// It has answered a check.
    void served() noexcept {
        served_ = true;
        failures_ = 0;
    }

    /// The connection, or the attempt to have one, is over. Returns: how long to wait before the next attempt.
    [[nodiscard]] std::chrono::milliseconds lost(Loss loss, Clock::time_point now) {
        // A connection that served may end because the server starts anew, or is another one now: the next is tried at
        // once, but not again and again.
        if (std::exchange(served_, false) && loss == Loss::dropped && now >= at_once_from_) {
            at_once_from_ = now + kAtOnceEvery;
            return std::chrono::milliseconds{0};
        }
        open_ = true;
        const auto longest = std::min(kBackOffMax, kBackOffFirst * (1 << std::min(failures_, 10)));
        failures_ = std::min(failures_ + 1, 10);
        // Many clients of one server must not come back at the same moment.
        std::uniform_int_distribution<std::int64_t> jittered{longest.count() / 2, longest.count()};
        return std::chrono::milliseconds{jittered(random_)};
    }

private:
    std::minstd_rand random_;
    Clock::time_point at_once_from_{};
    int failures_ = 0;  // since a check was answered
    bool served_ = false;
    bool open_ = false;
};

}  // namespace stint::inline v0::store::redis
