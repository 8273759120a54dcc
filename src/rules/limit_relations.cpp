#include "rules/limit_relations.hpp"

#include <fmt/format.h>

#include "base/duration_text.hpp"
#include "base/uint128.hpp"
#include "core/calendar.hpp"

namespace stint::inline v0::rules {
namespace {

using namespace std::chrono_literals;

constexpr Duration kDay = 24h;
constexpr Duration kClockChange = 3h;  // by more no zone has moved without skipping a whole day

struct Span {
    Duration shortest;
    Duration longest;
};

Span calendar_span(CalendarUnit unit) {
    switch (unit) {
        case CalendarUnit::day:
            return {kDay, kDay};
        case CalendarUnit::week:
            return {7 * kDay, 7 * kDay};
        case CalendarUnit::month:
            return {28 * kDay, 31 * kDay};
        case CalendarUnit::year:
            break;
    }
    return {365 * kDay, 366 * kDay};
}

/// The stretch of time over which the limit adds up what was granted.
Span span_of(const Limit& limit) {
    if (limit.calendar() != nullptr) {
        const Span span = calendar_span(limit.unit());
        return {span.shortest - kClockChange, span.longest + kClockChange};
    }
    if (limit.algorithm() == Algorithm::sliding_window) {
        return {limit.period(), Duration{limit.part_us() * (std::int64_t{limit.buckets()} + 1)}};
    }
    return {limit.period(), limit.period()};
}

/// The most that the limit can grant in any stretch as long as its shortest span.
std::uint64_t most_in_a_stretch(const Limit& limit) {
    const bool exact = limit.algorithm() == Algorithm::sliding_log ||
                       (limit.algorithm() == Algorithm::sliding_window && limit.mode() == WindowMode::strict);
    if (exact) return limit.limit();
    if (limit.algorithm() == Algorithm::token_bucket) return limit.ceiling() + limit.limit();
    return 2 * limit.limit();
}

/// Whether a bucket is filled and bounded by a tighter bucket: N/P compared as fractions.
bool bucket_is_wider(const Limit& limit, const Limit& other) {
    const auto us = [](const Limit& one) { return static_cast<Uint128>(one.period().count()); };
    const Uint128 rate = limit.limit() * us(other);
    const Uint128 other_rate = other.limit() * us(limit);
    return limit.ceiling() >= other.ceiling() && rate >= other_rate;
}

}  // namespace

Usefulness usefulness(const Limit& limit, const Limit& other) {
    const bool leased = limit.algorithm() == Algorithm::concurrency || other.algorithm() == Algorithm::concurrency;
    // What counts denials can be filled by the other's denials.
    if (leased || limit.count_denied()) return Usefulness::useful;
    if (limit.algorithm() == Algorithm::token_bucket) {
        const bool wider = other.algorithm() == Algorithm::token_bucket && bucket_is_wider(limit, other);
        return wider ? Usefulness::useless : Usefulness::useful;
    }
    if (span_of(limit).longest > span_of(other).shortest) return Usefulness::useful;
    if (most_in_a_stretch(other) <= limit.limit()) return Usefulness::useless;
    return other.ceiling() <= limit.limit() && other.limit() <= limit.limit() ? Usefulness::edges_only
                                                                              : Usefulness::useful;
}

std::string describe(const Limit& limit) {
    std::string per = "per " + write_duration(limit.period());
    if (limit.calendar() != nullptr) per = std::string{"per calendar "} + to_string(limit.unit());
    if (limit.algorithm() == Algorithm::concurrency) per = "at a time";
    std::string capacity;
    if (limit.ceiling() != limit.limit()) capacity = fmt::format(", capacity {}", limit.ceiling());
    return fmt::format("{} {} ({}{})", limit.limit(), per, to_string(limit.algorithm()), capacity);
}

std::string describe_kind(const Limit& limit) {
    std::string per = fmt::format("{} per {}", to_string(limit.algorithm()), write_duration(limit.period()));
    if (limit.calendar() != nullptr) {
        return fmt::format("fixed_window per calendar {} (timezone {})", to_string(limit.unit()),
                           limit.calendar()->timezone());
    }
    switch (limit.algorithm()) {
        case Algorithm::fixed_window:
            return fmt::format("{} (anchor {})", per, to_string(limit.anchor()));
        case Algorithm::sliding_window:
            return fmt::format("{} (mode {}, buckets {})", per, to_string(limit.mode()), limit.buckets());
        case Algorithm::concurrency:
            return fmt::format("concurrency with a lease of {}", write_duration(limit.period()));
        case Algorithm::sliding_log:
        case Algorithm::token_bucket:
            break;
    }
    return per;
}

}  // namespace stint::inline v0::rules
