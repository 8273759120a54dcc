// When a cluster's map is asked for, and whom: one node after the other until
// one answers, the known ones first, in an order that differs between clients.
// Tested by slot_map_test.cpp. Threads: one at a time.
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "store/redis/circuit.hpp"
#include "store/redis/endpoint.hpp"

namespace stint::inline v0::store::redis {

class MapRefresh {
public:
    using Clock = Circuit::Clock;
    /// However many redirections and failures ask for it, the map is read at most so often.
    static constexpr std::chrono::milliseconds kEveryLeast{100};

    MapRefresh(std::vector<Endpoint> configured, std::uint32_t seed)
        : configured_(std::move(configured)), random_(seed), circuit_(seed) {}

    /// The map is, or may be, wrong.
    void want(Clock::time_point now) {
        if (!due_ && !asking_) due_ = std::max(now, last_ + jittered(kEveryLeast));
        wanted_again_ = wanted_again_ || asking_;
    }
    /// Returns: when begin() is due; none: not at all, for now.
    [[nodiscard]] std::optional<Clock::time_point> due() const noexcept { return due_; }
    /// Returns: the first node to ask. Requires: due.
    [[nodiscard]] Endpoint begin(const std::vector<Endpoint>& known) {
        due_.reset();
        asking_ = true;
        candidates_ = known;
        std::ranges::shuffle(candidates_, random_);
        for (const Endpoint& node : configured_) {
            if (std::ranges::find(candidates_, node) == candidates_.end()) candidates_.push_back(node);
        }
        std::ranges::reverse(candidates_);
        return next();
    }
    /// The node asked had no answer. Returns: the next one; none if all have failed, and begin() is due later.
    [[nodiscard]] std::optional<Endpoint> failed(Clock::time_point now) {
        if (!candidates_.empty()) return next();
        end(now);
        due_ = now + circuit_.lost(Circuit::Loss::unreachable, now);
        return std::nullopt;
    }
    void succeeded(Clock::time_point now) {
        end(now);
        (void)circuit_.connected();
        circuit_.served();
        if (std::exchange(wanted_again_, false)) want(now);
    }
    /// Returns: whether nobody could be asked, the last time.
    [[nodiscard]] bool helpless() const noexcept { return circuit_.open(); }

private:
    Endpoint next() {
        Endpoint node = std::move(candidates_.back());
        candidates_.pop_back();
        return node;
    }
    void end(Clock::time_point now) {
        asking_ = false;
        last_ = now;
    }
    std::chrono::milliseconds jittered(std::chrono::milliseconds pause) {
        std::uniform_int_distribution<std::int64_t> jitter{pause.count(), pause.count() * 3 / 2};
        return std::chrono::milliseconds{jitter(random_)};
    }

    std::vector<Endpoint> configured_;
    std::minstd_rand random_;
    Circuit circuit_;
    std::vector<Endpoint> candidates_;  // the next one last
    std::optional<Clock::time_point> due_;
    Clock::time_point last_{};
    bool asking_ = false;
    bool wanted_again_ = false;  // while it was being asked for
};

}  // namespace stint::inline v0::store::redis
