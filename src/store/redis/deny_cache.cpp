#include "store/redis/deny_cache.hpp"

#include <algorithm>
#include <random>

#include "base/hash.hpp"

namespace stint::inline v0::store::redis {
namespace {

std::uint64_t random_seed() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

Duration elapsed(Clock::time_point from, Clock::time_point to) noexcept {
    return std::chrono::duration_cast<Duration>(to - from);
}

/// Returns: what is left of a wait.
Duration less(Duration wait, Duration passed) noexcept {
    return wait == kNever ? kNever : std::max(Duration{0}, wait - passed);
}

}  // namespace

DenyCache::DenyCache() : seed_(random_seed()), places_(kPlaces) {}

bool DenyCache::covers(const Check& check) noexcept {
    return !check.peek && check.asks.size() == 1 && check.asks[0].cost == 1 && covers(check.asks[0]);
}

bool DenyCache::covers(const Ask& ask) noexcept {
    if (!ask.deny_cache || ask.ban != nullptr || ask.counters.size() != 1) return false;
    const Limit& limit = ask.counters[0].limit;
    // A lease ends whenever its holder says so.
    return !limit.count_denied() && limit.algorithm() != Algorithm::concurrency;
}

Digest DenyCache::digest_of(const Ask& ask) const noexcept {
    // Of a plain counter its name tells: other rules may count in it too.
    if (!ask.redis_key.empty()) return hash128(ask.redis_key, seed_);
    return hash128(ask.key, seed_ ^ ask.counters[0].id);
}

std::optional<DenyCache::Question> DenyCache::answer(Check& check, Clock::time_point now) noexcept {
    Ask& ask = check.asks[0];
    const Counter& counter = ask.counters[0];
    const Digest digest = digest_of(ask);
    const std::size_t place = place_of(digest.high);
    const std::lock_guard lock{mutex_of(place)};
    const Denial& denial = places_[place];
    if (denial.until <= now || denial.digest != digest || denial.counter != counter.id ||
        denial.limit != counter.limit.limit() || denial.ceiling != counter.limit.ceiling()) {
        return Question{digest, denial.drops, now};
    }
    const Duration passed = elapsed(denial.answered, now);
    ask.answers[0] = {.allowed = false,
                      .remaining = 0,
                      .retry_after = less(denial.retry_after, passed),
                      .reset_after = less(denial.reset_after, passed),
                      .counter = {{digest.high, counter.id}, nullptr, false},
                      .moment = denial.moment,
                      .charged = 0};
    ask.banned = false;
    ask.banned_for = Duration{0};
    ask.from_cache = true;
    check.allowed = false;
    check.error = StoreError::none;
    return std::nullopt;
}

void DenyCache::keep(const Question& question, const Check& check, Clock::time_point now) noexcept {
    if (check.error != StoreError::none || check.allowed) return;
    const Ask& ask = check.asks[0];
    const Answer& answer = ask.answers[0];
    // The server took the check after it was asked and answered it before now:
    // it holds at least for the wait from the one, and the waits that are told
    // later shorten from the other, so that nobody comes back too early.
    const auto until = question.asked + std::min<Duration>(answer.retry_after, kLongest);
    if (until <= now) return;
    const std::size_t place = place_of(question.digest.high);
    const std::lock_guard lock{mutex_of(place)};
    Denial& denial = places_[place];
    if (denial.drops != question.drops) return;
    const Counter& counter = ask.counters[0];
    denial = {.until = until,
              .answered = now,
              .digest = question.digest,
              .counter = counter.id,
              .limit = counter.limit.limit(),
              .ceiling = counter.limit.ceiling(),
              .moment = answer.moment,
              .retry_after = answer.retry_after,
              .reset_after = answer.reset_after,
              .drops = denial.drops};
}

void DenyCache::drop(std::uint64_t digest_high) noexcept {
    const std::size_t place = place_of(digest_high);
    const std::lock_guard lock{mutex_of(place)};
    places_[place].until = {};
    ++places_[place].drops;
}

}  // namespace stint::inline v0::store::redis
