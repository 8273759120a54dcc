// Random limits and random traffic against them, the same for one seed on
// every machine. What matters happens at edges, so times and costs prefer
// them: ends of windows and one microsecond beside, steps back, N and N + 1.
// Threads: none; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>

#include "stint/limit.hpp"

namespace stint::inline v0::oracle {

/// Random numbers that depend on the seed alone (the standard's distributions differ between libraries).
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// Returns: a number below `bound`. Requires: bound at least 1.
    std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
    std::int64_t between(std::int64_t first, std::int64_t last) {
        return first + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(last - first) + 1));
    }
    bool chance(unsigned percent) { return below(100) < percent; }
    template <typename Value>
    Value pick(std::initializer_list<Value> values) {
        return values.begin()[below(values.size())];
    }

private:
    std::mt19937_64 engine_;
};

/// Returns: the seed of a test run: STINT_SEED if it is set, else this one.
[[nodiscard]] std::uint64_t seed_or(std::uint64_t fallback);

/// Returns: a valid limit of this algorithm, its numbers small more often than large.
[[nodiscard]] LimitSpec random_limit(Random& random, Algorithm algorithm);

/// Returns: other numbers for the same kind of limit, as a changed rule or an override has them. Those of a token
/// bucket keep the denominator of its rate, so that its state goes on exactly.
[[nodiscard]] LimitSpec with_other_numbers(Random& random, LimitSpec spec);

/// Returns: a cost: mostly small, sometimes 0, N, N + 1 or huge.
[[nodiscard]] std::uint64_t random_cost(Random& random, const LimitSpec& spec);

/// The times of one scenario's checks.
class Timeline {
public:
    Timeline(Random& random, const LimitSpec& spec, bool steps_back);
    [[nodiscard]] std::int64_t next();

private:
    Random& random_;
    std::int64_t span_;   // the time in which the limit forgets
    std::int64_t grain_;  // the time between two edges
    std::int64_t last_;   // no check comes after it
    std::int64_t now_;
    bool steps_back_;
};

}  // namespace stint::inline v0::oracle
