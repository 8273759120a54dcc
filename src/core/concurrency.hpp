// Concurrency: at most `limit` units held at a time, each by a lease that ends
// by itself, so that a holder that died blocks nobody for long.
//
// Worked example, 2 at a time, lease 10 s: taken at 0 and 1 s; a check at 2 s
// waits 8 s, until the first lease ends.
//
// Tested by algorithms_test.cpp and tests/oracle.
#pragma once

#include <span>
#include <vector>

#include "core/outcome.hpp"

namespace stint::inline v0::core {

struct Lease {
    std::uint64_t id = 0;
    std::int64_t end = 0;  // the first instant at which it no longer holds
    std::uint64_t units = 0;
};

struct Concurrency {
    struct State {
        std::span<const Lease> leases;  // in no order; those that have ended count for nothing
    };

    static std::int64_t taken_at(const Limit&, const State&, std::int64_t now) noexcept { return now; }

    static std::uint64_t held(const State& state, std::int64_t t) noexcept {
        std::uint64_t units = 0;
        for (const Lease& lease : state.leases) units += lease.end > t ? lease.units : 0;
        return units;
    }

    static bool fits(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost) noexcept {
        return cost == 0 || cost <= left_of(limit.limit(), held(state, t));
    }

    static Outcome report(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost,
                          bool allowed) noexcept {
        Outcome outcome;
        const std::uint64_t units = held(state, t);
        outcome.remaining = left_of(limit.limit(), units);
        for (const Lease& lease : state.leases) outcome.reset_us = std::max(outcome.reset_us, lease.end - t);
        if (!allowed) outcome.retry_us = cost > limit.limit() ? kNeverUs : wait(limit, state, t, units, cost);
        return outcome;
    }

private:
    /// Returns: the time until enough leases have ended, if none is renewed or released.
    static std::int64_t wait(const Limit& limit, const State& state, std::int64_t t, std::uint64_t units,
                             std::uint64_t cost) {
        std::vector<Lease> by_end(state.leases.begin(), state.leases.end());
        std::sort(by_end.begin(), by_end.end(), [](const Lease& a, const Lease& b) { return a.end < b.end; });
        for (const Lease& lease : by_end) {
            if (lease.end <= t) continue;
            units -= lease.units;
            if (units + cost <= limit.limit()) return lease.end - t;
        }
        return 0;
    }
};

}  // namespace stint::inline v0::core
