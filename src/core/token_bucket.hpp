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

namespace stint::inline v0::core {

class TokenBucket {
    /// Calls f with a number of the type that holds all sums of this limit.
    template <typename F>
    static auto in_units(const Limit& limit, F&& f) noexcept {
        return limit.fits_64_bits() ? f(std::uint64_t{0}) : f(Uint128{0});
    }

public:
    struct State {
        std::int64_t full_us = 0;  // the bucket is full at full_us + rest/n us
        std::uint64_t rest = 0;    // 0 <= rest < n
    };

    static std::int64_t taken_at(const Limit&, const State&, std::int64_t now) noexcept { return now; }

    static bool fits(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost) noexcept {
        return in_units(limit, [&]<typename U>(U) { return fits_in<U>(limit, debt_at<U>(limit, state, t), cost); });
    }

    /// A debt never exceeds the capacity, also when a denial is counted.
    static State take(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost) noexcept {
        if (limit.limit() == 0) return state;
        return in_units(limit, [&]<typename U>(U) {
            const U worth = U{std::min(cost, limit.ceiling())} * limit.token_us_num();
            return state_of<U>(limit, t, std::min<U>(worth_of_all<U>(limit), debt_at<U>(limit, state, t) + worth));
        });
    }

    static Outcome report(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost,
                          bool allowed) noexcept {
        return in_units(limit,
                        [&]<typename U>(U) { return report_in<U>(limit, debt_at<U>(limit, state, t), cost, allowed); });
    }

    /// fits(), take() if it does, and report(), in one go.
    struct Step {
        bool allowed = false;
        State next;
        Outcome outcome;
    };
    static Step step(const Limit& limit, const State& state, std::int64_t t, std::uint64_t cost) noexcept {
        return in_units(limit, [&]<typename U>(U) -> Step {
            U debt = debt_at<U>(limit, state, t);
            if (!fits_in<U>(limit, debt, cost)) return {false, state, report_in<U>(limit, debt, cost, false)};
            debt += U{cost} * limit.token_us_num();
            return {true, state_of<U>(limit, t, debt), report_in<U>(limit, debt, cost, true)};
        });
    }

    /// Takes off the debt what is still owed of one decision: `full_after` is
    /// when the bucket would have been full after it (rounded up), had nobody
    /// come since. What has flowed back by then is not given a second time.
    static State refund(const Limit& limit, const State& state, std::int64_t t, std::int64_t full_after,
                        std::uint64_t units) noexcept {
        if (t >= full_after || state.full_us < t || limit.limit() == 0) return state;
        // From the stored time, not from the debt at `t`: a clock that has
        // stepped back would turn what the debt is cut by into a gift.
        const Uint128 den = limit.token_us_den();
        const Uint128 owed = Uint128{static_cast<std::uint64_t>(state.full_us - t)} * den + state.rest;
        const Uint128 of_it = Uint128{static_cast<std::uint64_t>(full_after - t)} * den;
        const Uint128 worth =
            std::min<Uint128>(of_it, Uint128{std::min(units, limit.ceiling())} * limit.token_us_num());
        return state_of<Uint128>(limit, t, owed > worth ? owed - worth : 0);
    }

    /// Returns: the state under another n, rounded up to the next whole us.
    static State rounded_up(const State& state) noexcept { return {state.full_us + (state.rest > 0 ? 1 : 0), 0}; }

private:
    template <typename U>
    static U worth_of_all(const Limit& limit) noexcept {
        if constexpr (sizeof(U) == sizeof(std::uint64_t)) return limit.capacity_worth();
        return U{limit.ceiling()} * limit.token_us_num();
    }

    template <typename U>
    static U debt_at(const Limit& limit, const State& state, std::int64_t t) noexcept {
        if (state.full_us < t) return 0;
        const std::int64_t whole_us = state.full_us - t;
        if (whole_us > limit.capacity_us()) return worth_of_all<U>(limit);
        const U debt = U{static_cast<std::uint64_t>(whole_us)} * limit.token_us_den() + state.rest;
        return std::min<U>(worth_of_all<U>(limit), debt);
    }

    template <typename U>
    static bool fits_in(const Limit& limit, U debt, std::uint64_t cost) noexcept {
        if (cost == 0) return true;
        if (cost > limit.ceiling() || limit.limit() == 0) return false;
        return debt + U{cost} * limit.token_us_num() <= worth_of_all<U>(limit);
    }

    template <typename U>
    static State state_of(const Limit& limit, std::int64_t t, U debt) noexcept {
        const U den = limit.token_us_den();
        if (den == 1) return {t + static_cast<std::int64_t>(debt), 0};
        return {t + static_cast<std::int64_t>(debt / den), static_cast<std::uint64_t>(debt % den)};
    }

    /// Rounded up.
    template <typename U>
    static std::int64_t in_us(const Limit& limit, U worth) noexcept {
        const U den = limit.token_us_den();
        return static_cast<std::int64_t>(den == 1 ? worth : divide_up<U>(worth, den));
    }

    template <typename U>
    static Outcome report_in(const Limit& limit, U debt, std::uint64_t cost, bool allowed) noexcept {
        if (limit.limit() == 0) return {0, allowed ? 0 : kNeverUs, 0};
        const U left = worth_of_all<U>(limit) - debt;
        Outcome outcome;
        outcome.reset_us = in_us<U>(limit, debt);
        // Division is the dearest part of a check: one token that does not fit tells that none does.
        const bool none = left < limit.token_us_num();
        outcome.remaining = none ? 0 : static_cast<std::uint64_t>(left / limit.token_us_num());
        if (!allowed) {
            outcome.retry_us =
                cost > limit.ceiling() ? kNeverUs : in_us<U>(limit, U{cost} * limit.token_us_num() - left);
        }
        return outcome;
    }
};

}  // namespace stint::inline v0::core
