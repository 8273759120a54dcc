// Sliding log: the time of every granted unit. Exact: never more than the
// limit in (t - period, t]. Memory grows with the limit.
//
// Worked example, 2 per 60 s: grants at 0 and 10 s; a check at 30 s waits 30 s,
// until the unit of 0 s has left.
//
// Tested by algorithms_test.cpp, the conformance vectors and tests/oracle.
#pragma once

#include "core/outcome.hpp"

namespace stint::inline v0::core {

struct SlidingLog {
    // A state is anything with size(), time(i), oldest first, and newest().

    template <typename State>
    static std::int64_t taken_at(const Limit&, const State& state, std::int64_t now) noexcept {
        return state.size() == 0 ? now : std::max(now, state.newest());
    }

    /// Returns: how many of the oldest units have left by `t`.
    template <typename State>
    static std::uint64_t gone(const Limit& limit, const State& state, std::int64_t t) noexcept {
        const std::int64_t edge = t - limit.period().count();
        // Mostly nothing or one unit has left: steps that double find a short
        // stretch beside the oldest unit, without a look at the far ones.
        std::uint64_t low = 0;
        std::uint64_t probe = 1;
        while (probe <= state.size() && state.time(probe - 1) <= edge) {
            low = probe;
            probe *= 2;
        }
        std::uint64_t high = std::min(probe - 1, state.size());
        while (low < high) {
            const std::uint64_t middle = (low + high) / 2;
            if (state.time(middle) > edge) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    template <typename State>
    static bool fits(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost) noexcept {
        if (cost == 0) return true;
        return cost <= left_of(limit.limit(), state.size() - gone(limit, state, t));
    }

    template <typename State>
    static Outcome report(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost,
                          bool allowed) noexcept {
        const std::uint64_t first = gone(limit, state, t);
        const std::uint64_t live = state.size() - first;
        const std::int64_t period = limit.period().count();
        Outcome outcome;
        outcome.remaining = left_of(limit.limit(), live);
        if (live > 0) outcome.reset_us = state.newest() + period - t;
        if (!allowed) {
            outcome.retry_us =
                cost > limit.limit() ? kNeverUs : state.time(first + (live + cost - limit.limit()) - 1) + period - t;
        }
        return outcome;
    }
};

}  // namespace stint::inline v0::core
