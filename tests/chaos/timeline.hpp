// When answers came from the store and when they did not, to the millisecond.
// Threads: note() any; the others too, and they may miss what comes meanwhile.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace stint::inline v0::testing_chaos {

class Timeline {
public:
    using Clock = std::chrono::steady_clock;
    using Millis = std::chrono::milliseconds;

    /// `most`: what comes later is counted into the last millisecond, and not looked at.
    explicit Timeline(Millis most) : moments_(static_cast<std::size_t>(most.count())) {}

    void start() { began_ = Clock::now(); }
    [[nodiscard]] Millis now() const { return since_start(Clock::now()); }

    void note(Clock::time_point when, bool from_store) {
        const auto at = std::min(static_cast<std::size_t>(since_start(when).count()), moments_.size() - 1);
        (from_store ? moments_[at].store : moments_[at].other).fetch_add(1, std::memory_order_relaxed);
    }

    /// Returns: the first answer of the store from `from` on.
    [[nodiscard]] std::optional<Millis> first_from_store(Millis from) const {
        for (auto at = static_cast<std::size_t>(from.count()); at < moments_.size(); ++at) {
            if (moments_[at].store > 0) return Millis{at};
        }
        return std::nullopt;
    }

    /// Returns: the moment, `from` or later, from which on all answers are the store's, for `span` at least.
    [[nodiscard]] std::optional<Millis> all_from_store(Millis from, Millis span) const {
        return from_store(from, span, 0);
    }
    /// The same for nine of ten answers: a busy machine is late now and then, though nothing is broken any more.
    [[nodiscard]] std::optional<Millis> mostly_from_store(Millis from, Millis span) const {
        return from_store(from, span, 10);
    }

private:
    struct Moment {
        std::atomic<std::uint32_t> store{0};
        std::atomic<std::uint32_t> other{0};
    };

    [[nodiscard]] Millis since_start(Clock::time_point when) const {
        return std::chrono::duration_cast<Millis>(when - began_);
    }

    /// Of all answers within the span at most `percent` are not the store's, nor is the first one.
    [[nodiscard]] std::optional<Millis> from_store(Millis from, Millis span, std::uint64_t percent) const {
        const auto end = static_cast<std::size_t>(std::max(Millis{0}, now() - span).count());
        for (auto begin = static_cast<std::size_t>(from.count()); begin < std::min(end, moments_.size()); ++begin) {
            if (moments_[begin].store == 0 || moments_[begin].other > 0) continue;
            std::uint64_t store = 0;
            std::uint64_t other = 0;
            for (auto at = begin; at < begin + static_cast<std::size_t>(span.count()); ++at) {
                store += moments_[at].store;
                other += moments_[at].other;
                if (other > 0 && percent == 0) break;
            }
            if (other * 100 <= percent * (store + other)) return Millis{begin};
        }
        return std::nullopt;
    }

    std::vector<Moment> moments_;
    Clock::time_point began_ = Clock::now();
};

}  // namespace stint::inline v0::testing_chaos
