// Sliding window of counted parts. The period is divided into `buckets` parts
// of g us (rounded up), which start at multiples of g since the epoch. Strict:
// the current part and the `buckets` parts before it count in full, so never
// more than the limit passes in any stretch of one period, and 1 to 3 % less
// than an exact log would let through. Weighted: the oldest of them counts with
// the share (g - e)/g, e being the time since the current part began; with
// `buckets: 1` this is the well-known two-counter approximation.
//
// Worked example, 10 per 60 s, strict, 60 parts: ten grants at 0.5 s lie in
// part 0; it leaves when part 61 begins, so a check at 30 s waits 31 s.
//
// Tested by algorithms_test.cpp, the conformance vectors and tests/oracle.
#pragma once

#include <span>

#include "base/uint128.hpp"
#include "core/outcome.hpp"

namespace stint::inline v0::core {

struct SlidingWindow {
    /// Counts of consecutive parts, oldest first; the last one is not 0.
    template <typename Count>
    struct State {
        std::int64_t first = 0;  // index of the part that counts[0] counts
        std::span<const Count> counts;

        [[nodiscard]] std::int64_t newest() const noexcept {
            return first + static_cast<std::int64_t>(counts.size()) - 1;
        }
        [[nodiscard]] std::uint64_t at(std::int64_t part) const noexcept {
            return part < first || part > newest() ? 0 : counts[static_cast<std::size_t>(part - first)];
        }
        /// Returns: the sum of all parts from `part` on.
        [[nodiscard]] std::uint64_t since(std::int64_t part) const noexcept {
            std::uint64_t sum = 0;
            const auto skip = static_cast<std::size_t>(std::max<std::int64_t>(0, part - first));
            for (std::size_t i = skip; i < counts.size(); ++i) sum += counts[i];
            return sum;
        }
    };

    static std::int64_t part_of(const Limit& limit, std::int64_t t) noexcept { return t / limit.part_us(); }
    /// Returns: the oldest part that counts at `t`.
    static std::int64_t oldest_part(const Limit& limit, std::int64_t t) noexcept {
        return part_of(limit, t) - limit.buckets();
    }
    /// Returns: when this part no longer counts.
    static std::int64_t part_gone_at(const Limit& limit, std::int64_t part) noexcept {
        return (part + limit.buckets() + 1) * limit.part_us();
    }

    template <typename Count>
    static std::int64_t taken_at(const Limit& limit, const State<Count>& state, std::int64_t now) noexcept {
        return state.counts.empty() ? now : std::max(now, state.newest() * limit.part_us());
    }

    template <typename Count>
    static bool fits(const Limit& limit, const State<Count>& state, std::int64_t t, std::uint64_t cost) noexcept {
        if (cost == 0) return true;
        if (cost > limit.limit()) return false;
        const std::int64_t oldest = oldest_part(limit, t);
        if (limit.mode() == WindowMode::strict) return state.since(oldest) + cost <= limit.limit();
        const std::uint64_t full = state.since(oldest + 1);
        if (full + cost > limit.limit()) return false;
        return weight(limit, state.at(oldest), t) <= Uint128{limit.limit() - cost - full} * part_us(limit);
    }

    template <typename Count>
    static Outcome report(const Limit& limit, const State<Count>& state, std::int64_t t, std::uint64_t cost,
                          bool allowed) noexcept {
        const std::int64_t oldest = oldest_part(limit, t);
        std::uint64_t used = 0;
        if (limit.mode() == WindowMode::strict) {
            used = state.since(oldest);
        } else {
            used = state.since(oldest + 1) +
                   static_cast<std::uint64_t>(divide_up<Uint128>(weight(limit, state.at(oldest), t), part_us(limit)));
        }
        Outcome outcome;
        outcome.remaining = left_of(limit.limit(), used);
        if (!state.counts.empty()) {
            outcome.reset_us = std::max<std::int64_t>(0, part_gone_at(limit, state.newest()) - t);
        }
        if (!allowed) outcome.retry_us = cost > limit.limit() ? kNeverUs : wait(limit, state, t, cost);
        return outcome;
    }

private:
    static Uint128 part_us(const Limit& limit) noexcept { return static_cast<Uint128>(limit.part_us()); }

    /// Returns: the count of the oldest part times the share that is left of it, in units of 1/g.
    static Uint128 weight(const Limit& limit, std::uint64_t count, std::int64_t t) noexcept {
        return Uint128{count} * static_cast<Uint128>(limit.part_us() - t % limit.part_us());
    }

    /// From the oldest part on, the first one after which there is room says
    /// when: strict, as it leaves; weighted, as enough of it has left.
    template <typename Count>
    static std::int64_t wait(const Limit& limit, const State<Count>& state, std::int64_t t,
                             std::uint64_t cost) noexcept {
        const std::uint64_t room = limit.limit() - cost;
        const std::int64_t oldest = std::max(oldest_part(limit, t), state.first);
        std::uint64_t younger = state.since(oldest);
        for (std::int64_t part = oldest; part <= state.newest(); ++part) {
            const std::uint64_t count = state.at(part);
            younger -= count;
            if (count == 0 || younger > room) continue;
            const std::int64_t gone = part_gone_at(limit, part) - t;
            if (limit.mode() == WindowMode::strict) return gone;
            const Uint128 kept_us = Uint128{room - younger} * part_us(limit) / count;
            return gone - static_cast<std::int64_t>(std::min(kept_us, part_us(limit)));
        }
        return 0;
    }
};

}  // namespace stint::inline v0::core
