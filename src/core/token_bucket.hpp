// Token bucket: a capacity that is refilled continuously with `limit` tokens
// for each period. The same algorithm as GCRA (ITU-T I.371) and as a leaky
// bucket used as a meter. Up to capacity + limit pass in a period.
//
// The state is the time at which the bucket will be full, exactly: with
// limit/period reduced to n/p, a token is worth p/n us, so the time is a whole
// number of us and a remainder of r/n us, 0 <= r < n. A key's debt is what is
// missing from full, counted in 1/n us.
//
// Worked example, 3 per 7 s: n/p = 3/7000000, a token is worth 2333333 1/3 us.
// After one token at 0 the bucket is full at 2333333 us + 1/3; after three
// million tokens it is full at exactly 7000000000000 us: nothing drifts.
//
// Tested by algorithms_test.cpp, the conformance vectors and tests/oracle.
#pragma once

#include "base/uint128.hpp"
#include "core/outcome.hpp"

namespace stint::core {

struct TokenBucket {
    struct State {
        std::int64_t full_us = 0;  // the bucket is full at full_us + rest/n us
        std::uint64_t rest = 0;    // 0 <= rest < n
    };

    static std::int64_t taken_at(const Limit&, const State&, std::int64_t now) noexcept { return now; }

    static bool fits(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost) noexcept {
        if (cost == 0) return true;
        if (cost > limit.ceiling() || limit.limit() == 0) return false;
        return limit.fits_64_bits() ? fits_in<std::uint64_t>(limit, state, t, cost)
                                    : fits_in<Uint128>(limit, state, t, cost);
    }

    /// A debt never exceeds the capacity, also when a denial is counted.
    static State take(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost) noexcept {
        if (limit.limit() == 0) return state;
        return limit.fits_64_bits() ? take_in<std::uint64_t>(limit, state, t, cost)
                                    : take_in<Uint128>(limit, state, t, cost);
    }

    static Outcome report(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost,
                          bool allowed) noexcept {
        if (limit.limit() == 0) return {0, allowed ? 0 : kNeverUs, 0};
        return limit.fits_64_bits() ? report_in<std::uint64_t>(limit, state, t, cost, allowed)
                                    : report_in<Uint128>(limit, state, t, cost, allowed);
    }

    /// Takes the units of one decision off the debt, unless they have been
    /// refilled by now: `full_after` is when the bucket would have been full
    /// after that decision (rounded up), had nobody come since.
    static State refund(const Limit& limit, const State& state, std::int64_t t, std::int64_t full_after,
                        std::uint64_t units) noexcept {
        if (t >= full_after || limit.limit() == 0) return state;
        const Uint128 debt = debt_at<Uint128>(limit, state, t);
        const Uint128 worth = Uint128{std::min(units, limit.ceiling())} * limit.token_us_num();
        return state_of<Uint128>(limit, t, debt > worth ? debt - worth : 0);
    }

    /// Returns: the state under another n, rounded up to the next whole us.
    static State rounded_up(const State& state) noexcept { return {state.full_us + (state.rest > 0 ? 1 : 0), 0}; }

private:
    template <typename U>
    static U capacity_worth(const Limit& limit) noexcept {
        return U{limit.ceiling()} * limit.token_us_num();
    }

    template <typename U>
    static U debt_at(const Limit& limit, const State& state, std::int64_t t) noexcept {
        if (state.full_us < t) return 0;
        const U capacity = capacity_worth<U>(limit);
        const auto whole_us = static_cast<std::uint64_t>(state.full_us - t);
        if (whole_us > capacity / limit.token_us_den()) return capacity;
        return std::min<U>(capacity, U{whole_us} * limit.token_us_den() + state.rest);
    }

    template <typename U>
    static State state_of(const Limit& limit, std::int64_t t, U debt) noexcept {
        const U den = limit.token_us_den();
        return {t + static_cast<std::int64_t>(debt / den), static_cast<std::uint64_t>(debt % den)};
    }

    template <typename U>
    static bool fits_in(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost) noexcept {
        return debt_at<U>(limit, state, t) + U{cost} * limit.token_us_num() <= capacity_worth<U>(limit);
    }

    template <typename U>
    static State take_in(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost) noexcept {
        const U worth = U{std::min(cost, limit.ceiling())} * limit.token_us_num();
        const U debt = std::min<U>(capacity_worth<U>(limit), debt_at<U>(limit, state, t) + worth);
        return state_of<U>(limit, t, debt);
    }

    template <typename U>
    static Outcome report_in(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost,
                             bool allowed) noexcept {
        const U capacity = capacity_worth<U>(limit);
        const U den = limit.token_us_den();
        const U debt = debt_at<U>(limit, state, t);
        Outcome outcome;
        outcome.remaining = static_cast<std::uint64_t>((capacity - debt) / limit.token_us_num());
        outcome.reset_us = static_cast<std::int64_t>(divide_up<U>(debt, den));
        if (!allowed) {
            outcome.retry_us =
                cost > limit.ceiling()
                    ? kNeverUs
                    : static_cast<std::int64_t>(divide_up<U>(debt + U{cost} * limit.token_us_num() - capacity, den));
        }
        return outcome;
    }
};

}  // namespace stint::core
