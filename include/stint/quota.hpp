// A limit that is known when the program is compiled, and checked then: a
// number that cannot be is a compile error that names what is wrong.
//
//     stint::per_minute(3)                             three in any minute
//     stint::per_second(100).token_bucket(200)         a hundred a second, bursts of two hundred
//     stint::quota(3, 7s).sliding_log()                three in seven seconds, exactly
//     stint::per_calendar(200, stint::CalendarUnit::day, "Europe/Berlin")
//     stint::concurrency(10, 30s)                      ten at a time
//
// Numbers that are only known when it runs make a Limit instead (limit.hpp).
// What each algorithm promises: docs/algorithms.md. Threads: values.
#pragma once

#include <cstdint>
#include <string_view>

#include "stint/limit.hpp"
#include "stint/time.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// Not constexpr, so that a compiler that meets one of them while it computes a constant stops and says its name.
namespace compile_error {
void the_period_is_zero_or_negative();
void the_period_is_longer_than_100_years();
void the_limit_is_larger_than_this_algorithm_can_count();
void the_capacity_of_a_token_bucket_is_zero();
void the_capacity_of_a_token_bucket_is_larger_than_2_to_the_50();
void the_token_bucket_would_take_more_than_142_years_to_refill();
void a_sliding_window_has_1_to_1440_parts_of_at_least_a_microsecond();
void a_calendar_window_has_no_other_algorithm();
void concurrency_has_no_other_algorithm();
void a_denial_holds_no_lease_so_concurrency_cannot_count_it();
}  // namespace compile_error

class Quota {
public:
    /// No limit yet: a rule that has one of these does not compile.
    constexpr Quota() = default;
    /// At most `limit` in any stretch of `per`: a strict sliding window, as in rule files that name no algorithm.
    /// Whether it can be one is looked at where it is used, as another algorithm may follow.
    consteval Quota(std::uint64_t limit, Duration per) : limit_(limit), capacity_(limit), per_us_(per.count()) {
        check_period();
    }

    /// The same numbers under another algorithm.
    [[nodiscard]] consteval Quota fixed_window(Anchor anchor = Anchor::first) const {
        Quota other = as(Algorithm::fixed_window);
        other.anchor_ = anchor;
        if (anchor == Anchor::calendar) compile_error::a_calendar_window_has_no_other_algorithm();
        return other.checked();
    }
    [[nodiscard]] consteval Quota sliding_window(WindowMode mode = WindowMode::strict,
                                                 std::uint32_t buckets = 60) const {
        Quota other = as(Algorithm::sliding_window);
        other.mode_ = mode;
        other.buckets_ = buckets;
        return other.checked();
    }
    [[nodiscard]] consteval Quota sliding_log() const { return as(Algorithm::sliding_log).checked(); }
    [[nodiscard]] consteval Quota token_bucket() const { return token_bucket(limit_); }
    [[nodiscard]] consteval Quota token_bucket(std::uint64_t capacity) const {
        Quota other = as(Algorithm::token_bucket);
        other.capacity_ = capacity;
        return other.checked();
    }
    /// A denial consumes too.
    [[nodiscard]] consteval Quota count_denied() const {
        if (algorithm_ == Algorithm::concurrency) {
            compile_error::a_denial_holds_no_lease_so_concurrency_cannot_count_it();
        }
        Quota other = *this;
        other.count_denied_ = true;
        return other;
    }

    /// Returns: the limit that Limit::make gives for these numbers.
    /// Errors: throws ConfigError only for a time zone that the system does not have.
    [[nodiscard]] Limit to_limit() const;

    /// Returns: whether both count in the same counters, so that one rule cannot have both.
    [[nodiscard]] constexpr bool same_kind(const Quota& other) const noexcept {
        return algorithm_ == other.algorithm_ && per_us_ == other.per_us_ && anchor_ == other.anchor_ &&
               unit_ == other.unit_ && timezone_ == other.timezone_ && mode_ == other.mode_ &&
               buckets_ == other.buckets_;
    }

private:
    friend struct RuleEntry;
    friend class ValidQuota;
    friend consteval Quota per_calendar(std::uint64_t limit, CalendarUnit unit, std::string_view timezone);
    friend consteval Quota concurrency(std::uint64_t limit, Duration lease);

    [[nodiscard]] consteval Quota as(Algorithm algorithm) const {
        if (anchor_ == Anchor::calendar) compile_error::a_calendar_window_has_no_other_algorithm();
        if (algorithm_ == Algorithm::concurrency) compile_error::concurrency_has_no_other_algorithm();
        Quota other = *this;
        other.algorithm_ = algorithm;
        other.capacity_ = limit_;
        other.anchor_ = Anchor::first;
        other.mode_ = WindowMode::strict;
        other.buckets_ = algorithm == Algorithm::sliding_window ? 60 : 0;
        return other;
    }

    /// The same checks as Limit::make makes; rule_table_test.cpp and compile_fail hold the two together.
    consteval void check() const {
        check_period();
        if (limit_ > limit_max(algorithm_)) compile_error::the_limit_is_larger_than_this_algorithm_can_count();
        if (algorithm_ == Algorithm::sliding_window && (buckets_ < 1 || buckets_ > kBucketsMax || buckets_ > per_us_)) {
            compile_error::a_sliding_window_has_1_to_1440_parts_of_at_least_a_microsecond();
        }
        if (algorithm_ != Algorithm::token_bucket) return;
        if (capacity_ == 0) compile_error::the_capacity_of_a_token_bucket_is_zero();
        if (capacity_ > kBucketMax) compile_error::the_capacity_of_a_token_bucket_is_larger_than_2_to_the_50();
        // capacity * period / limit must stay below 2^52 us.
        __extension__ using Wide = unsigned __int128;
        if (limit_ > 0 && Wide{capacity_} * static_cast<std::uint64_t>(per_us_) / limit_ >= Wide{1} << 52) {
            compile_error::the_token_bucket_would_take_more_than_142_years_to_refill();
        }
    }
    consteval void check_period() const {
        if (anchor_ != Anchor::calendar && per_us_ <= 0) compile_error::the_period_is_zero_or_negative();
        if (per_us_ > kPeriodMax.count()) compile_error::the_period_is_longer_than_100_years();
    }
    [[nodiscard]] consteval Quota checked() const {
        check();
        return *this;
    }

    std::uint64_t limit_ = 0;
    std::uint64_t capacity_ = 0;
    std::int64_t per_us_ = 0;  // of concurrency the lease
    std::string_view timezone_{};
    std::uint32_t buckets_ = 60;
    Algorithm algorithm_ = Algorithm::sliding_window;
    Anchor anchor_ = Anchor::first;
    CalendarUnit unit_ = CalendarUnit::day;
    WindowMode mode_ = WindowMode::strict;
    bool count_denied_ = false;
};

/// A quota that can be: what functions take that are given one.
class ValidQuota {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): a quota is given as it is
    consteval ValidQuota(const Quota& quota) : quota_(quota) { quota.check(); }
    [[nodiscard]] constexpr const Quota& operator*() const noexcept { return quota_; }
    [[nodiscard]] constexpr const Quota* operator->() const noexcept { return &quota_; }

private:
    Quota quota_;
};

[[nodiscard]] consteval Quota quota(std::uint64_t limit, Duration per) {
    return Quota{limit, per};
}
[[nodiscard]] consteval Quota per_second(std::uint64_t limit) {
    return Quota{limit, std::chrono::seconds{1}};
}
[[nodiscard]] consteval Quota per_minute(std::uint64_t limit) {
    return Quota{limit, std::chrono::minutes{1}};
}
[[nodiscard]] consteval Quota per_hour(std::uint64_t limit) {
    return Quota{limit, std::chrono::hours{1}};
}
/// In any 24 hours; per_calendar() counts from midnight.
[[nodiscard]] consteval Quota per_day(std::uint64_t limit) {
    return Quota{limit, std::chrono::hours{24}};
}

/// In each day, week (from Monday), month or year of a time zone, an IANA name.
[[nodiscard]] consteval Quota per_calendar(std::uint64_t limit, CalendarUnit unit, std::string_view timezone = "UTC") {
    Quota made;
    made.limit_ = limit;
    made.capacity_ = limit;
    made.buckets_ = 0;
    made.algorithm_ = Algorithm::fixed_window;
    made.anchor_ = Anchor::calendar;
    made.unit_ = unit;
    made.timezone_ = timezone;
    return made.checked();
}

/// At most `limit` held at a time; each ends by itself after `lease`.
[[nodiscard]] consteval Quota concurrency(std::uint64_t limit, Duration lease) {
    Quota made;
    made.limit_ = limit;
    made.capacity_ = limit;
    made.per_us_ = lease.count();
    made.buckets_ = 0;
    made.algorithm_ = Algorithm::concurrency;
    return made.checked();
}

}  // namespace stint::inline v0
#pragma GCC visibility pop
