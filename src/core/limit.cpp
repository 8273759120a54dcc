#include "stint/limit.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <utility>

#include "base/uint128.hpp"
#include "core/calendar.hpp"
#include "stint/error.hpp"

namespace stint::inline v0 {
namespace {

/// Debts of a bucket are kept below this many us, so that times stay below 2^54.
constexpr std::int64_t kBucketSpanMaxUs = std::int64_t{1} << 52;

/// Collects everything that is wrong with a limit.
class Problems {
public:
    void add(std::string reason) { problems_.push_back(Problem{"", 0, 0, std::move(reason)}); }

    void check_range(const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
        if (value < least) add(fmt::format("{}: {} is too small; the smallest possible is {}", name, value, least));
        if (value > most) add(fmt::format("{}: {} is too large; the largest possible is {}", name, value, most));
    }

    void check_length(const char* name, const std::optional<Duration>& length, const char* algorithm) {
        if (!length) {
            add(fmt::format("{}: missing; {} needs one", name, algorithm));
        } else if (length->count() <= 0) {
            add(fmt::format("{}: {} us is too short; the shortest possible is 1 us", name, length->count()));
        } else if (*length > kPeriodMax) {
            add(fmt::format("{}: {} us is too long; the longest possible is 36525 days", name, length->count()));
        }
    }

    void refuse(bool present, const char* name, const char* where) {
        if (present) add(fmt::format("{}: only {} has one", name, where));
    }

    void throw_if_any() {
        if (!problems_.empty()) throw ConfigError{std::move(problems_)};
    }
    [[nodiscard]] bool empty() const noexcept { return problems_.empty(); }

private:
    std::vector<Problem> problems_;
};

void check_spec(const LimitSpec& spec, Problems& problems) {
    const bool bucket = spec.algorithm == Algorithm::token_bucket;
    const bool leased = spec.algorithm == Algorithm::concurrency;
    const bool calendar = spec.algorithm == Algorithm::fixed_window && spec.anchor == Anchor::calendar;
    const char* name = to_string(spec.algorithm);

    problems.check_range("limit", spec.limit, 0, limit_max(spec.algorithm));
    if (leased) {
        problems.check_length("lease", spec.lease, name);
        problems.refuse(spec.per.has_value(), "per", "a limit over time");
        if (spec.count_denied) problems.add("count_denied: a denial holds no lease, so concurrency cannot count it");
    } else if (calendar) {
        problems.refuse(spec.per.has_value(), "per", "a window that is not anchored to the calendar");
        if (!spec.unit) problems.add("unit: missing; anchor calendar needs day, week, month or year");
    } else {
        problems.check_length("per", spec.per, name);
    }
    problems.refuse(spec.lease.has_value() && !leased, "lease", "concurrency");
    problems.refuse(spec.unit.has_value() && !calendar, "unit", "anchor calendar");
    problems.refuse(spec.timezone.has_value() && !calendar, "timezone", "anchor calendar");
    problems.refuse(spec.anchor != Anchor::first && spec.algorithm != Algorithm::fixed_window, "anchor",
                    "fixed_window");
    problems.refuse(spec.mode != WindowMode::strict && spec.algorithm != Algorithm::sliding_window, "mode",
                    "sliding_window");
    problems.refuse(spec.capacity.has_value() && !bucket, "capacity", "token_bucket");
    if (spec.capacity) problems.check_range("capacity", *spec.capacity, 1, kBucketMax);
    if (spec.algorithm == Algorithm::sliding_window) {
        problems.check_range("buckets", spec.buckets, 1, kBucketsMax);
        if (spec.per && spec.per->count() > 0 && spec.buckets > spec.per->count()) {
            problems.add(fmt::format("buckets: {} parts of a period of {} us would be shorter than 1 us", spec.buckets,
                                     spec.per->count()));
        }
    }
}

}  // namespace

const char* to_string(Algorithm algorithm) noexcept {
    constexpr std::array kNames{"fixed_window", "sliding_window", "sliding_log", "token_bucket", "concurrency"};
    return kNames[static_cast<std::size_t>(algorithm)];
}

const char* to_string(Anchor anchor) noexcept {
    constexpr std::array kNames{"first", "clock", "calendar"};
    return kNames[static_cast<std::size_t>(anchor)];
}

const char* to_string(CalendarUnit unit) noexcept {
    constexpr std::array kNames{"day", "week", "month", "year"};
    return kNames[static_cast<std::size_t>(unit)];
}

const char* to_string(WindowMode mode) noexcept {
    return mode == WindowMode::strict ? "strict" : "weighted";
}

Limit Limit::make(const LimitSpec& spec) {
    Problems problems;
    check_spec(spec, problems);

    Limit limit;
    limit.algorithm_ = spec.algorithm;
    limit.limit_ = spec.limit;
    limit.capacity_ = spec.capacity.value_or(spec.limit);
    limit.anchor_ = spec.anchor;
    limit.mode_ = spec.mode;
    limit.count_denied_ = spec.count_denied;
    if (spec.anchor == Anchor::calendar && spec.unit) {
        limit.unit_ = *spec.unit;
        const auto calendar = core::Calendar::find(spec.timezone.value_or("UTC"), *spec.unit);
        if (calendar) {
            limit.calendar_ = *calendar;
        } else {
            problems.add("timezone: " + calendar.error());
        }
    }
    problems.throw_if_any();

    limit.period_ = spec.lease.value_or(spec.per.value_or(Duration{0})).count();
    if (spec.algorithm == Algorithm::sliding_window) {
        limit.buckets_ = spec.buckets;
        limit.part_us_ = divide_up<std::int64_t>(limit.period_, spec.buckets);
    }
    if (spec.algorithm == Algorithm::token_bucket && spec.limit > 0) {
        const auto period = static_cast<std::uint64_t>(limit.period_);
        const std::uint64_t divisor = std::gcd(spec.limit, period);
        limit.token_num_ = period / divisor;
        limit.token_den_ = spec.limit / divisor;
        const Uint128 worth = Uint128{limit.capacity_} * limit.token_num_;
        limit.fits_64_bits_ = worth < (Uint128{1} << 62);
        limit.capacity_worth_ = limit.fits_64_bits_ ? static_cast<std::uint64_t>(worth) : 0;
        limit.capacity_us_ = static_cast<std::int64_t>(worth / limit.token_den_);
        if (worth / limit.token_den_ >= static_cast<Uint128>(kBucketSpanMaxUs)) {
            const auto most =
                Uint128{static_cast<std::uint64_t>(kBucketSpanMaxUs) - 1} * limit.token_den_ / limit.token_num_;
            problems.add(
                fmt::format("capacity: {} tokens would take more than 142 years to refill; the largest possible is {}",
                            limit.capacity_, static_cast<std::uint64_t>(most)));
        }
    }
    problems.throw_if_any();
    return limit;
}

Limit Limit::fixed_window(std::uint64_t limit, Duration per, Anchor anchor) {
    return make({.algorithm = Algorithm::fixed_window, .limit = limit, .per = per, .anchor = anchor});
}

Limit Limit::sliding_window(std::uint64_t limit, Duration per) {
    return make({.algorithm = Algorithm::sliding_window, .limit = limit, .per = per});
}

Limit Limit::sliding_log(std::uint64_t limit, Duration per) {
    return make({.algorithm = Algorithm::sliding_log, .limit = limit, .per = per});
}

Limit Limit::token_bucket(std::uint64_t limit, Duration per, std::uint64_t capacity) {
    LimitSpec spec{.algorithm = Algorithm::token_bucket, .limit = limit, .per = per};
    if (capacity != 0) spec.capacity = capacity;
    return make(spec);
}

Limit Limit::concurrency(std::uint64_t limit, Duration lease) {
    return make({.algorithm = Algorithm::concurrency, .limit = limit, .lease = lease});
}

std::string Limit::kind() const {
    switch (algorithm_) {
        case Algorithm::fixed_window:
            if (anchor_ == Anchor::calendar) {
                return fmt::format("fixed_window calendar {} {}", to_string(unit_), calendar_->timezone());
            }
            return fmt::format("fixed_window {} {}", to_string(anchor_), period_);
        case Algorithm::sliding_window:
            return fmt::format("sliding_window {} {} {}", to_string(mode_), period_, buckets_);
        case Algorithm::concurrency:
            return fmt::format("concurrency {}", period_);
        case Algorithm::sliding_log:
        case Algorithm::token_bucket:
            break;
    }
    return fmt::format("{} {}", to_string(algorithm_), period_);
}

Limit Limit::with_numbers(std::uint64_t limit, std::optional<std::uint64_t> capacity) const {
    LimitSpec spec{.algorithm = algorithm_,
                   .limit = limit,
                   .anchor = anchor_,
                   .mode = mode_,
                   .capacity = capacity,
                   .count_denied = count_denied_};
    if (algorithm_ == Algorithm::concurrency) {
        spec.lease = period();
    } else if (anchor_ == Anchor::calendar) {
        spec.unit = unit_;
        spec.timezone = calendar_->timezone();
    } else {
        spec.per = period();
    }
    if (algorithm_ == Algorithm::sliding_window) spec.buckets = buckets_;
    return make(spec);
}

}  // namespace stint::inline v0
