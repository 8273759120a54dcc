// Fixed window: a count that starts again with each window. Small and cheap;
// up to twice the limit passes around an edge. Windows are half open: the
// instant of the end belongs to the next one.
//
// Worked example, 3 per 60 s, anchor first: grants at 0, 10 and 20 s; a check
// at 59.999999 s waits 1 us; one at 60 s opens the window 60 to 120 s.
//
// Tested by algorithms_test.cpp, the conformance vectors and tests/oracle.
#pragma once

#include "core/calendar.hpp"
#include "core/outcome.hpp"

namespace stint::inline v0::core {

struct FixedWindow {
    struct State {
        std::int64_t end = 0;     // the first instant after the window
        std::uint64_t count = 0;  // 0: no state
    };

    /// Returns: the window that a first request at `t` opens.
    static Window window_at(const Limit& limit, std::int64_t t) noexcept {
        const std::int64_t period = limit.period().count();
        switch (limit.anchor()) {
            case Anchor::first:
                return {t, t + period};
            case Anchor::clock: {
                const std::int64_t start = t / period * period;
                return {start, start + period};
            }
            case Anchor::calendar:
                break;
        }
        return limit.calendar()->window_at(t);
    }

    /// Returns: `now`, or the start of the window that the state holds, if that is later.
    static std::int64_t taken_at(const Limit& limit, const State& state, std::int64_t now) noexcept {
        if (!live(state, now)) return now;
        const std::int64_t start = limit.anchor() == Anchor::calendar ? limit.calendar()->start_before(state.end, now)
                                                                      : state.end - limit.period().count();
        return std::max(now, start);
    }

    static bool fits(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost) noexcept {
        return cost == 0 || cost <= left_of(limit.limit(), used(state, t));
    }

    static State take(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost) noexcept {
        if (live(state, t)) return {state.end, add_count(state.count, cost)};
        return {window_at(limit, t).end, add_count(0, cost)};
    }

    static Outcome report(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost,
                          bool allowed) noexcept {
        const std::int64_t left = live(state, t) ? state.end - t : 0;
        const std::int64_t retry = allowed ? 0 : cost > limit.limit() ? kNeverUs : left;
        return {left_of(limit.limit(), used(state, t)), retry, left};
    }

    /// fits(), take() if it does, and report(), in one go.
    struct Step {
        bool allowed = false;
        State next;
        Outcome outcome;
    };
    static Step step(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost) noexcept {
        if (!fits(limit, state, t, cost)) return {false, state, report(limit, state, t, cost, false)};
        const State next = take(limit, state, t, cost);
        return {true, next, report(limit, next, t, cost, true)};
    }

    /// The window that a refund belongs to is named by its end.
    static State refund(const State& state, std::int64_t window_end, std::uint64_t units) noexcept {
        if (state.end != window_end) return state;
        return {state.end, left_of(state.count, units)};
    }

private:
    static bool live(const State& state, std::int64_t t) noexcept { return state.count > 0 && t < state.end; }
    static std::uint64_t used(const State& state, std::int64_t t) noexcept { return live(state, t) ? state.count : 0; }
};

}  // namespace stint::inline v0::core
