// A limit: an algorithm with its numbers, checked when it is made, so that an
// invalid one cannot exist. The meaning of each algorithm, with its promise,
// is in docs/algorithms.md; the arithmetic is in src/core/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stint/time.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

enum class Algorithm : std::uint8_t { fixed_window, sliding_window, sliding_log, token_bucket, concurrency };

/// Where a fixed window begins: at the first counted request, at multiples of
/// its period since the epoch, or with the day, week, month or year.
enum class Anchor : std::uint8_t { first, clock, calendar };

enum class CalendarUnit : std::uint8_t { day, week, month, year };

/// Whether the oldest part of a sliding window counts in full or by its share.
enum class WindowMode : std::uint8_t { strict, weighted };

/// The names that rule files and answers use, such as "fixed_window".
[[nodiscard]] const char* to_string(Algorithm algorithm) noexcept;
[[nodiscard]] const char* to_string(Anchor anchor) noexcept;
[[nodiscard]] const char* to_string(CalendarUnit unit) noexcept;
[[nodiscard]] const char* to_string(WindowMode mode) noexcept;

/// The bounds that Limit::make enforces.
inline constexpr std::uint64_t kLimitMax = 4'294'967'295;  ///< windows count to 2^32 - 1
inline constexpr std::uint64_t kBucketMax = 1ULL << 50;    ///< tokens of a bucket, and its rate
inline constexpr std::uint64_t kLogLimitMax = 1'000'000;   ///< a log keeps every unit
inline constexpr std::uint64_t kLeasesMax = 100'000;       ///< leases of one key
inline constexpr std::uint32_t kBucketsMax = 1'440;        ///< parts of a sliding window
inline constexpr std::uint64_t kCostMax = 1ULL << 50;      ///< larger costs are taken as this

/// Returns: the largest limit that this algorithm can have.
[[nodiscard]] constexpr std::uint64_t limit_max(Algorithm algorithm) noexcept {
    switch (algorithm) {
        case Algorithm::sliding_log:
            return kLogLimitMax;
        case Algorithm::token_bucket:
            return kBucketMax;
        case Algorithm::concurrency:
            return kLeasesMax;
        case Algorithm::fixed_window:
        case Algorithm::sliding_window:
            break;
    }
    return kLimitMax;
}

/// What somebody asks for; Limit::make says whether it can be.
struct LimitSpec {
    Algorithm algorithm = Algorithm::sliding_window;
    std::uint64_t limit = 0;                  ///< units for each period; leases held at a time
    std::optional<Duration> per{};            ///< the period; none for calendar windows and concurrency
    Anchor anchor = Anchor::first;            ///< fixed_window only
    std::optional<CalendarUnit> unit{};       ///< anchor calendar only
    std::optional<std::string> timezone{};    ///< anchor calendar only, an IANA name; default UTC
    WindowMode mode = WindowMode::strict;     ///< sliding_window only
    std::uint32_t buckets = 60;               ///< sliding_window only: 1 to kBucketsMax
    std::optional<std::uint64_t> capacity{};  ///< token_bucket only; default: limit
    std::optional<Duration> lease{};          ///< concurrency only: a lease ends by itself after this
    bool count_denied = false;                ///< a denial consumes too
};

namespace core {
class Calendar;
}

/// A validated limit. A small value; copies freely. Threads: immutable.
class Limit {
public:
    /// Requires: nothing. Errors: throws ConfigError that names every number
    /// that does not fit, with the largest or smallest possible one.
    [[nodiscard]] static Limit make(const LimitSpec& spec);

    [[nodiscard]] static Limit fixed_window(std::uint64_t limit, Duration per, Anchor anchor = Anchor::first);
    [[nodiscard]] static Limit sliding_window(std::uint64_t limit, Duration per);
    [[nodiscard]] static Limit sliding_log(std::uint64_t limit, Duration per);
    /// Requires: `capacity` at least 1; 0 stands for `limit`.
    [[nodiscard]] static Limit token_bucket(std::uint64_t limit, Duration per, std::uint64_t capacity = 0);
    [[nodiscard]] static Limit concurrency(std::uint64_t limit, Duration lease);

    [[nodiscard]] Algorithm algorithm() const noexcept { return algorithm_; }
    [[nodiscard]] std::uint64_t limit() const noexcept { return limit_; }
    /// Returns: the most that can be had at one moment: a bucket's capacity, else limit().
    [[nodiscard]] std::uint64_t ceiling() const noexcept { return capacity_; }
    /// Returns: the period; for concurrency the lease; 0 for calendar windows.
    [[nodiscard]] Duration period() const noexcept { return Duration{period_}; }
    [[nodiscard]] Anchor anchor() const noexcept { return anchor_; }
    [[nodiscard]] CalendarUnit unit() const noexcept { return unit_; }
    [[nodiscard]] WindowMode mode() const noexcept { return mode_; }
    [[nodiscard]] std::uint32_t buckets() const noexcept { return buckets_; }
    [[nodiscard]] bool count_denied() const noexcept { return count_denied_; }
    [[nodiscard]] const core::Calendar* calendar() const noexcept { return calendar_; }

    /// The length of one part of a sliding window: period / buckets, rounded up.
    [[nodiscard]] std::int64_t part_us() const noexcept { return part_us_; }
    /// A token is worth token_us_num() / token_us_den() microseconds, in lowest terms
    /// (0 / 1 when the limit is 0).
    [[nodiscard]] std::uint64_t token_us_num() const noexcept { return token_num_; }
    [[nodiscard]] std::uint64_t token_us_den() const noexcept { return token_den_; }
    /// What the whole capacity is worth: in 1/token_us_den() us if that stays
    /// below 2^62 (else 0), and in whole us, rounded down.
    [[nodiscard]] std::uint64_t capacity_worth() const noexcept { return capacity_worth_; }
    [[nodiscard]] std::int64_t capacity_us() const noexcept { return capacity_us_; }
    /// Whether all sums of the token bucket stay below 2^63.
    [[nodiscard]] bool fits_64_bits() const noexcept { return fits_64_bits_; }

    /// Returns: the parts of a counter's identity that the limit contributes:
    /// algorithm, period, anchor, unit, time zone, mode, buckets; never its
    /// numbers. Equal text means the same kind.
    [[nodiscard]] std::string kind() const;

    /// Returns: the same kind with other numbers, as an override has it.
    /// Requires: a capacity only for a token bucket. Errors: throws ConfigError.
    [[nodiscard]] Limit with_numbers(std::uint64_t limit, std::optional<std::uint64_t> capacity) const;

    friend bool operator==(const Limit&, const Limit&) = default;

private:
    Limit() = default;

    std::uint64_t limit_ = 0;
    std::uint64_t capacity_ = 0;
    std::int64_t period_ = 0;
    std::int64_t part_us_ = 0;
    std::uint64_t token_num_ = 0;
    std::uint64_t token_den_ = 1;
    std::uint64_t capacity_worth_ = 0;
    std::int64_t capacity_us_ = 0;
    const core::Calendar* calendar_ = nullptr;  // kept for the life of the process
    std::uint32_t buckets_ = 0;
    Algorithm algorithm_ = Algorithm::sliding_window;
    Anchor anchor_ = Anchor::first;
    CalendarUnit unit_ = CalendarUnit::day;
    WindowMode mode_ = WindowMode::strict;
    bool count_denied_ = false;
    bool fits_64_bits_ = true;
};

}  // namespace stint::inline v0
#pragma GCC visibility pop
