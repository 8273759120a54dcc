#include "oracle/traffic.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>

namespace stint::inline v0::oracle {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;

Duration random_period(Random& random) {
    return Duration{random.pick<std::int64_t>({1, 2, 3, 7, 59, 100, 999, 1'000, 100'000, kSecond, kSecond, 7 * kSecond,
                                               10 * kSecond, 60 * kSecond, 60 * kSecond, 3'600 * kSecond, kDay,
                                               30 * kDay, 365 * kDay})};
}

std::uint64_t small_number(Random& random) {
    return random.chance(80) ? random.below(8) : random.pick<std::uint64_t>({10, 25, 60, 100, 997});
}

/// Returns: the n of a token's p/n us in lowest terms.
std::uint64_t denominator(std::uint64_t limit, Duration per) {
    return limit / std::gcd(limit, static_cast<std::uint64_t>(per.count()));
}

std::int64_t span_of(const LimitSpec& spec) {
    if (spec.algorithm == Algorithm::concurrency) return spec.lease->count();
    if (spec.anchor == Anchor::calendar) {
        switch (spec.unit.value_or(CalendarUnit::day)) {
            case CalendarUnit::day:
                return kDay;
            case CalendarUnit::week:
                return 7 * kDay;
            case CalendarUnit::month:
                return 31 * kDay;
            case CalendarUnit::year:
                return 366 * kDay;
        }
    }
    return spec.per->count();
}

/// Returns: a capacity that is refilled within a hundred years.
std::uint64_t random_capacity(Random& random, const LimitSpec& spec) {
    const std::uint64_t periods = 100 * 366 * static_cast<std::uint64_t>(kDay / spec.per->count()) + 1;
    return std::clamp<std::uint64_t>(small_number(random), 1, std::max<std::uint64_t>(spec.limit * periods, 1));
}

void add_bucket_numbers(Random& random, LimitSpec& spec) {
    if (random.chance(10)) {
        spec.limit = random.pick<std::uint64_t>({100'000, 1'000'000'007, 1'000'000'000, 65'536, 65'537});
        spec.per = Duration{random.pick<std::int64_t>({kSecond, 3'600 * kSecond, kDay})};
    }
    if (random.chance(50)) spec.capacity = random_capacity(random, spec);
    if (spec.limit == 0) spec.capacity.reset();
}

}  // namespace

std::uint64_t seed_or(std::uint64_t fallback) {
    const char* text = std::getenv("STINT_SEED");
    return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

LimitSpec random_limit(Random& random, Algorithm algorithm) {
    LimitSpec spec;
    spec.algorithm = algorithm;
    spec.limit = small_number(random);
    spec.count_denied = algorithm != Algorithm::concurrency && random.chance(30);
    switch (algorithm) {
        case Algorithm::fixed_window:
            spec.anchor = random.pick({Anchor::first, Anchor::first, Anchor::clock, Anchor::calendar});
            if (random.chance(5)) spec.limit = random.pick<std::uint64_t>({65'535, 65'536, kLimitMax});
            if (spec.anchor == Anchor::calendar) {
                spec.unit =
                    random.pick({CalendarUnit::day, CalendarUnit::week, CalendarUnit::month, CalendarUnit::year});
                spec.timezone = random.pick<const char*>({"UTC", "Europe/Warsaw", "Pacific/Auckland", "Asia/Kathmandu",
                                                          "America/Sao_Paulo", "America/St_Johns", "Pacific/Apia"});
            } else {
                spec.per = random_period(random);
            }
            break;
        case Algorithm::sliding_window:
            spec.mode = random.pick({WindowMode::strict, WindowMode::weighted});
            spec.buckets = random.pick<std::uint32_t>({1, 1, 2, 3, 5, 7, 10, 60, 60, 61, 1'440});
            do {
                spec.per = random_period(random);
            } while (spec.per->count() < spec.buckets);
            if (random.chance(5)) spec.limit = random.pick<std::uint64_t>({65'535, 65'536, kLimitMax});
            break;
        case Algorithm::sliding_log:
            spec.per = random_period(random);
            break;
        case Algorithm::token_bucket:
            spec.per = random_period(random);
            add_bucket_numbers(random, spec);
            break;
        case Algorithm::concurrency:
            spec.lease = random_period(random);
            break;
    }
    return spec;
}

LimitSpec with_other_numbers(Random& random, LimitSpec spec) {
    const std::uint64_t before = spec.limit;
    spec.limit = std::max<std::uint64_t>(1, small_number(random));
    if (spec.algorithm == Algorithm::token_bucket) {
        if (denominator(spec.limit, *spec.per) != denominator(before, *spec.per)) spec.limit = before;
        spec.capacity.reset();
        if (spec.limit > 0 && random.chance(50)) spec.capacity = random_capacity(random, spec);
    }
    return spec;
}

std::uint64_t random_cost(Random& random, const LimitSpec& spec) {
    const std::uint64_t most =
        spec.algorithm == Algorithm::token_bucket ? spec.capacity.value_or(spec.limit) : spec.limit;
    switch (random.below(16)) {
        case 0:
            return 0;
        case 1:
            return most;
        case 2:
            return most + 1;
        case 3:
            return random.below(most + 2);
        case 4:
            return most / 3 + 1;
        case 5:
            return random.chance(20) ? random.pick<std::uint64_t>({kLimitMax, kLimitMax + 1, kCostMax}) : 2;
        default:
            return 1;
    }
}

Timeline::Timeline(Random& random, const LimitSpec& spec, bool steps_back)
    : random_(random), span_(span_of(spec)), grain_(1), last_(0), now_(0), steps_back_(steps_back) {
    if (spec.algorithm == Algorithm::sliding_window) {
        grain_ = (span_ + spec.buckets - 1) / spec.buckets;
        span_ = grain_ * spec.buckets;
    } else {
        grain_ = std::max<std::int64_t>(1, span_ / static_cast<std::int64_t>(std::max<std::uint64_t>(spec.limit, 1)));
    }
    last_ = kInstantMax.time_since_epoch().count() - 3 * span_;
    // The epoch itself, around its first days, now, and the far end.
    now_ =
        random.pick<std::int64_t>({0, random.between(0, 2 * kDay), 1'500'000'000 * kSecond, 1'773'000'000 * kSecond});
    if (now_ > 2 * kDay) now_ += random.between(0, 400 * kDay);
}

std::int64_t Timeline::next() {
    std::int64_t step = 0;
    switch (random_.below(20)) {
        case 0:
        case 1:
            break;
        case 2:
            step = 1;
            break;
        case 3:
            step = grain_ - now_ % grain_;
            break;  // the next edge
        case 4:
            step = grain_ - now_ % grain_ - 1;
            break;  // just before it
        case 5:
            step = span_ - now_ % span_;
            break;  // the next edge of the whole
        case 6:
            step = span_;
            break;
        case 7:
            step = random_.between(0, 2 * span_ + 1);
            break;
        default:
            step = random_.between(0, grain_);
            break;
    }
    if (steps_back_ && random_.chance(12)) {
        step = -random_.pick<std::int64_t>({1, grain_, random_.between(0, grain_), random_.between(0, 3 * span_)});
    }
    if (random_.chance(1)) step = std::max(step, random_.pick<std::int64_t>({3 * span_, 400 * kDay}));
    now_ = std::clamp<std::int64_t>(now_ + step, 0, last_);
    return now_;
}

}  // namespace stint::inline v0::oracle
