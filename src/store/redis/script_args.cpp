#include "store/redis/script_args.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/uint128.hpp"
#include "core/calendar.hpp"
#include "core/outcome.hpp"
#include "core/token_bucket.hpp"
#include "store/redis/scripts.hpp"

namespace stint::inline v0::store::redis {
namespace {

// The flags of a limit, as lua/state.lua has them.
constexpr std::uint64_t kNever = 1;
constexpr std::uint64_t kCountDenied = 2;
constexpr std::uint64_t kWeighted = 4;

constexpr std::size_t kNumber = 7;  // bytes of most numbers

void append_whole(std::string& out, std::int64_t number) {
    append_number(out, static_cast<std::uint64_t>(number), kNumber);
}

std::uint64_t flags_of(const Limit& limit, std::uint64_t cost) {
    const bool bucket = limit.algorithm() == Algorithm::token_bucket;
    std::uint64_t flags = 0;
    if (cost > limit.ceiling() || limit.limit() == 0) flags |= kNever;
    if (limit.count_denied() && !(bucket && limit.limit() == 0)) flags |= kCountDenied;
    if (limit.algorithm() == Algorithm::sliding_window && limit.mode() == WindowMode::weighted) flags |= kWeighted;
    return flags;
}

/// Whole us and the rest in 1/n us of a number of tokens.
void append_worth(const Limit& limit, std::uint64_t tokens, std::string& out) {
    const Uint128 worth = Uint128{std::min(tokens, limit.ceiling())} * limit.token_us_num();
    append_number(out, static_cast<std::uint64_t>(worth / limit.token_us_den()), kNumber);
    append_number(out, static_cast<std::uint64_t>(worth % limit.token_us_den()), kNumber);
}

void append_windows(const core::Calendar& calendar, std::int64_t now, std::string& out) {
    const core::Window window = calendar.window_at(now);
    // A window that began before 1970 begins with it: no check is earlier.
    const auto since_1970 = [](std::int64_t t) { return std::max<std::int64_t>(0, t); };
    append_whole(out, window.start > 0 ? since_1970(calendar.window_at(window.start - 1).start) : 0);
    append_whole(out, since_1970(window.start));
    append_whole(out, window.end);
    append_whole(out, calendar.window_at(window.end).end);
}

void append_kind(const Limit& limit, bool plain, std::string& out) {
    append_number(out, static_cast<std::uint64_t>(script_of(limit.algorithm(), plain)), 1);
}

void append_sized_limit(const Counter& counter, bool plain, const LimitArgs& args, std::string& out) {
    append_number(out, counter.id, 8);
    append_kind(counter.limit, plain, out);
    const std::size_t size_at = out.size();
    append_number(out, 0, 2);
    append_limit(counter.limit, args, out);
    const std::size_t size = out.size() - size_at - 2;
    out[size_at] = static_cast<char>(size);
    STINT_ASSERT(size < 256);
}

}  // namespace

void append_number(std::string& out, std::uint64_t number, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) out.push_back(static_cast<char>((number >> (8 * i)) & 0xff));
}

std::uint64_t read_number(std::string_view bytes, std::size_t at, std::size_t width) noexcept {
    std::uint64_t number = 0;
    for (std::size_t i = width; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    return number;
}

void append_limit(const Limit& limit, const LimitArgs& args, std::string& out) {
    append_number(out, flags_of(limit, args.cost), 1);
    if (limit.algorithm() == Algorithm::token_bucket) {
        append_number(out, limit.token_us_den(), kNumber);
        append_worth(limit, args.cost, out);
        append_worth(limit, limit.ceiling(), out);
        return;
    }
    append_number(out, limit.limit(), kNumber);
    if (limit.algorithm() == Algorithm::sliding_window) {
        append_whole(out, limit.part_us());
        append_number(out, limit.buckets(), 2);
        return;
    }
    append_whole(out, limit.period().count());
    if (limit.algorithm() == Algorithm::fixed_window) {
        append_number(out, limit.anchor() == Anchor::clock ? 1 : 0, 1);
        if (limit.anchor() == Anchor::calendar) append_windows(*limit.calendar(), args.now, out);
    }
    if (limit.algorithm() == Algorithm::concurrency) append_number(out, args.lease_id, 8);
}

void append_single(const Check& check, std::int64_t now, std::string& out) {
    const Ask& ask = check.asks[0];
    append_number(out, ask.counters[0].id, 8);
    append_number(out, ask.cost, kNumber);
    append_number(out, 1, kCountBytes);
    append_number(out, static_cast<std::uint64_t>(check.peek ? Mode::look : Mode::take), 1);
    append_limit(ask.counters[0].limit, {ask.cost, check.lease_id, now}, out);
}

void append_together(const Check& check, std::int64_t now, std::string& out) {
    append_number(out, static_cast<std::uint64_t>(check.peek ? Mode::look : Mode::take), 1);
    append_number(out, check.asks.size(), 2);
    for (const Ask& ask : check.asks) {
        append_number(out, ask.cost, kNumber);
        append_number(out, ask.counters.size(), 1);
        append_number(out, ask.ban != nullptr ? 1 : 0, 1);
        if (ask.ban != nullptr) {
            append_number(out, ask.ban->id, 8);
            append_number(out, ask.ban->ban.denials, 2);
            append_whole(out, ask.ban->ban.within.count());
            append_whole(out, ask.ban->ban.duration.count());
        }
        for (const Counter& counter : ask.counters) {
            append_sized_limit(counter, !ask.redis_key.empty(), {ask.cost, check.lease_id, now}, out);
        }
    }
}

void append_refund(const Limit& limit, const Answer& answer, std::string& out) {
    append_number(out, answer.counter.digest.low, 8);
    append_kind(limit, answer.counter.plain, out);
    append_number(out, static_cast<std::uint64_t>(Change::refund), 1);
    append_whole(out, answer.moment);
    append_number(out, answer.charged, kNumber);
    append_limit(limit, {answer.charged, 0, answer.moment}, out);
}

void append_lease_change(std::uint64_t counter_id, Change change, std::uint64_t lease_id, std::string& out) {
    append_number(out, counter_id, 8);
    append_number(out, static_cast<std::uint64_t>(Algorithm::concurrency), 1);
    append_number(out, static_cast<std::uint64_t>(change), 1);
    append_number(out, lease_id, 8);
}

LimitAnswer read_answer(std::string_view bytes, std::size_t at) noexcept {
    return {static_cast<std::uint32_t>(read_number(bytes, at, 4)), read_number(bytes, at + 4, kNumber),
            read_number(bytes, at + 11, kNumber), read_number(bytes, at + 18, kNumber),
            read_number(bytes, at + 25, kNumber)};
}

namespace {

/// Grants after this one, whose units the answer counts as used already.
std::uint32_t later_grants(const LimitAnswer& answer, const Reading& reading) noexcept {
    return reading.took && reading.index < answer.granted ? answer.granted - 1 - reading.index : 0;
}

void fill_bucket(const Limit& limit, const LimitAnswer& answer, const Reading& reading, Answer& out) noexcept {
    using core::TokenBucket;
    const Uint128 den = limit.token_us_den();
    const Uint128 later = Uint128{later_grants(answer, reading)} * reading.cost * limit.token_us_num();
    const Uint128 debt = Uint128{answer.used} * den + answer.reset - later;
    const TokenBucket::State state{reading.now + static_cast<std::int64_t>(debt / den),
                                   static_cast<std::uint64_t>(debt % den)};
    const bool passes_again = TokenBucket::fits(limit, state, reading.now, reading.cost);
    const bool waits = !out.allowed || (reading.charged_denied && !passes_again);
    const core::Outcome outcome = TokenBucket::report(limit, state, reading.now, reading.cost, !waits);
    out.remaining = outcome.remaining;
    out.retry_after = Duration{outcome.retry_us};
    out.reset_after = Duration{outcome.reset_us};
    if (out.charged > 0) out.moment = TokenBucket::rounded_up(state).full_us;
}

}  // namespace

void fill_answer(const Limit& limit, const LimitAnswer& answer, const Reading& reading, Answer& out) noexcept {
    out.allowed = reading.index < answer.granted;
    out.charged = reading.took && out.allowed ? reading.cost : 0;
    if (limit.algorithm() == Algorithm::token_bucket) return fill_bucket(limit, answer, reading, out);
    const std::uint64_t used = answer.used - later_grants(answer, reading) * reading.cost;
    out.remaining = core::left_of(limit.limit(), used);
    out.reset_after = Duration{static_cast<std::int64_t>(answer.reset)};
    out.moment = static_cast<std::int64_t>(answer.moment);
    out.retry_after = Duration{0};
    const bool waits = !out.allowed || (reading.charged_denied && used + reading.cost > limit.limit());
    if (waits) {
        out.retry_after =
            Duration{reading.cost > limit.limit() ? core::kNeverUs : static_cast<std::int64_t>(answer.retry)};
    }
}

}  // namespace stint::inline v0::store::redis
