#include "stint/memory_store.hpp"

#include <fmt/format.h>

#include <array>
#include <random>
#include <utility>

#include "base/hash.hpp"
#include "stint/error.hpp"
#include "store/memory/memory_store_impl.hpp"
#include "store/memory/together.hpp"

namespace stint::inline v0 {
namespace {

using store::Line;
using store::Slot;

constexpr std::size_t kPairBytes = 2 * sizeof(Line);
constexpr std::size_t kSlotsPerPair = 2 * store::kSlotsPerLine;
constexpr std::size_t kMemoryLeast = std::size_t{1} << 20;
constexpr std::size_t kEntriesLeast = 1024;

/// Checks are hashed and prefetched so many counters at a time.
constexpr std::size_t kPrefetched = 64;

std::size_t pairs_for(const MemoryStoreOptions& options) {
    std::vector<Problem> problems;
    if (options.max_memory < kMemoryLeast) {
        problems.push_back({"", 0, 0,
                            fmt::format("max_memory: {} bytes is too small; the smallest possible is {}",
                                        options.max_memory, kMemoryLeast)});
    }
    if (options.max_entries != 0 && options.max_entries < kEntriesLeast) {
        problems.push_back({"", 0, 0,
                            fmt::format("max_entries: {} is too small; the smallest possible is {}",
                                        options.max_entries, kEntriesLeast)});
    }
    const std::size_t by_memory = options.max_memory / 2 / kPairBytes;
    const std::size_t by_entries = options.max_entries / kSlotsPerPair + (options.max_entries % kSlotsPerPair != 0);
    if (problems.empty() && options.max_entries != 0 && by_entries > by_memory) {
        problems.push_back({"", 0, 0,
                            fmt::format("max_entries: {} need more than half of max_memory; the largest possible is {}",
                                        options.max_entries, by_memory * kSlotsPerPair)});
    }
    if (!problems.empty()) throw ConfigError{std::move(problems)};
    return options.max_entries == 0 ? by_memory : by_entries;
}

std::uint64_t random_seed() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

/// Returns: how many counters (limits and bans) a check has.
std::size_t counters_of(const Check& check) noexcept {
    std::size_t count = 0;
    for (const Ask& ask : check.asks) count += ask.counters.size() + (ask.ban != nullptr ? 1 : 0);
    return count;
}

bool is_single(const Check& check) noexcept {
    return check.asks.size() == 1 && check.asks[0].counters.size() == 1 && check.asks[0].ban == nullptr;
}

void fill(Answer& answer, const core::Outcome& outcome, bool allowed) noexcept {
    answer.allowed = allowed;
    answer.remaining = outcome.remaining;
    static_assert(Duration{core::kNeverUs} == kNever);
    answer.retry_after = Duration{outcome.retry_us};
    answer.reset_after = Duration{outcome.reset_us};
}

}  // namespace

MemoryStore::Impl::Impl(MemoryStoreOptions options)
    : options_(std::move(options)),
      table_(pairs_for(options_), options_.huge_pages),
      record_budget_(options_.max_memory - table_.line_count() * sizeof(Line)),
      slots_(table_, heap_, record_budget_, epoch_),
      seed_(random_seed()) {}

MemoryStore::Impl::~Impl() {
    // Only looking: clearing the slots would touch all of a table that is mostly empty.
    for (std::size_t at = 0; at < table_.line_count() && heap_.bytes() > 0; ++at) {
        for (const auto& word : table_.line(at).words) {
            if (store::word::is_record(word)) heap_.free(store::word::record(word));
        }
    }
}

inline std::int64_t MemoryStore::Impl::micros(std::optional<Instant> time) noexcept {
    const Instant given = time ? *time : now();
    const std::int64_t t =
        std::clamp<std::int64_t>(given.time_since_epoch().count(), 0, kInstantMax.time_since_epoch().count());
    if (epoch() == kNoEpoch) {
        std::int64_t none = kNoEpoch;
        epoch_.compare_exchange_strong(none, t - store::word::kEpochLead, std::memory_order_relaxed);
    }
    return t;
}

inline Digest MemoryStore::Impl::digest_of(std::uint64_t counter_id, std::string_view key) const noexcept {
    return hash128(key, counter_id ^ seed_);
}

void MemoryStore::Impl::digests_of(const Check& check, Digest* out) const noexcept {
    for (const Ask& ask : check.asks) {
        for (const Counter& counter : ask.counters) *out++ = digest_of(counter.id, ask.key);
        if (ask.ban != nullptr) *out++ = digest_of(ask.ban->id, ask.key);
    }
}

void MemoryStore::Impl::decide(std::span<Check> checks, std::optional<Instant> time) {
    if (checks.size() == 1 && is_single(checks[0])) {
        const Ask& ask = checks[0].asks[0];
        const Digest digest = digest_of(ask.counters[0].id, ask.key);
        table_.prefetch(digest);
        const std::int64_t now = micros(time);
        decide_single(checks[0], digest, now);
        slots_.keep_within_budget(now - epoch());
        return;
    }
    std::array<Digest, kPrefetched> digests;
    std::optional<std::int64_t> now;
    while (!checks.empty()) {
        // Prefetch for as many checks as fit, then read the clock, then decide.
        std::size_t count = 0;
        std::size_t used = 0;
        for (; count < checks.size(); ++count) {
            const std::size_t counters = counters_of(checks[count]);
            if (used + counters > kPrefetched) break;
            digests_of(checks[count], &digests[used]);
            for (std::size_t i = used; i < used + counters; ++i) table_.prefetch(digests[i]);
            used += counters;
        }
        if (!now) now = micros(time);
        const Digest* next = digests.data();
        for (Check& check : checks.first(count)) {
            decide_one(check, next, *now);
            next += counters_of(check);
        }
        checks = checks.subspan(count);
        if (count == 0) {  // a single check with more counters than fit
            std::vector<Digest> many(counters_of(checks[0]));
            digests_of(checks[0], many.data());
            decide_one(checks[0], many.data(), *now);
            checks = checks.subspan(1);
        }
    }
}

void MemoryStore::Impl::decide_one(Check& check, const Digest* digests, std::int64_t now) {
    if (is_single(check)) {
        decide_single(check, *digests, now);
    } else {
        Together{*this, check, digests, now}.decide();
    }
    slots_.keep_within_budget(now - epoch());
}

inline void MemoryStore::Impl::note(const Limit& limit, Slot slot, Digest digest, std::uint64_t remaining) noexcept {
    const std::uint64_t wanted =
        store::print::make(digest, store::level_of(remaining, limit.ceiling()), store::tag_of(limit));
    if (((slot.print() ^ wanted) & ~store::print::kLock) != 0) slot.set_print(wanted);
}

inline void MemoryStore::Impl::settle_word(const Limit& limit, Slot slot, bool allowed,
                                           std::optional<std::uint64_t> next, const core::Outcome& outcome,
                                           std::uint64_t cost, Answer& answer) noexcept {
    fill(answer, outcome, allowed);
    answer.charged = allowed ? cost : 0;
    if (allowed) {
        slot.set_word(*next);
        note(limit, slot, answer.counter.digest, outcome.remaining);
    }
}

/// The common case in one pass: a bucket or a fixed window in a state word,
/// which also holds the next state. Returns: whether it was that case.
inline bool MemoryStore::Impl::charge_word(const Limit& limit, Slot slot, const Check& check, std::int64_t now,
                                           Answer& answer) noexcept {
    const store::StateWord state{slot.word(), store::print::tag(slot.print())};
    const std::uint64_t cost = check.asks[0].cost;
    if (store::word::is_record(state.word) || check.peek || cost == 0 || limit.count_denied()) return false;
    if (limit.algorithm() == Algorithm::token_bucket) {
        const auto step = core::TokenBucket::step(limit, store::bucket_state(limit, state, epoch()), now, cost);
        const auto next = store::word::make(step.next.full_us - epoch(), step.next.rest);
        if (step.allowed && !next) return false;
        answer.moment = core::TokenBucket::rounded_up(step.next).full_us;
        settle_word(limit, slot, step.allowed, next, step.outcome, cost, answer);
        return true;
    }
    if (limit.algorithm() == Algorithm::fixed_window) {
        const core::FixedWindow::State held = store::window_state(state, epoch());
        const std::int64_t t = core::FixedWindow::taken_at(limit, held, now);
        const auto step = core::FixedWindow::step(limit, held, t, cost);
        const auto next = store::word::make(step.next.end - 1 - epoch(), step.next.count);
        if (step.allowed && !next) return false;
        answer.moment = step.next.end;
        settle_word(limit, slot, step.allowed, next, step.outcome, cost, answer);
        return true;
    }
    return false;
}

inline void MemoryStore::Impl::charge(const Limit& limit, Slot slot, const Check& check, std::int64_t now,
                                      Answer& answer) {
    if (!charge_word(limit, slot, check, now, answer)) charge_any(limit, slot, check, now, answer);
}

/// Denies a key that is at its limit from one look at its state word, which
/// costs no lock. Returns: whether it did.
inline bool MemoryStore::Impl::deny_unlocked(const Limit& limit, Slot slot, Digest digest, std::int64_t now,
                                             std::uint64_t cost, Answer& answer) noexcept {
    const std::uint64_t print = slot.print();
    if (store::print::level(print) != store::Level::at_limit || limit.count_denied() || cost == 0) return false;
    const store::StateWord state{slot.word(), store::print::tag(print)};
    if (store::word::is_record(state.word)) return false;
    core::Outcome outcome;
    if (limit.algorithm() == Algorithm::token_bucket) {
        const auto step = core::TokenBucket::step(limit, store::bucket_state(limit, state, epoch()), now, cost);
        if (step.allowed) return false;
        outcome = step.outcome;
    } else {
        const store::Look seen = store::look(limit, state, epoch(), now, cost);
        if (seen.fits) return false;
        outcome = store::report(limit, state, epoch(), seen.taken_at, cost, false);
    }
    // The word is the key's if the fingerprint and its notes did not change meanwhile.
    if (((slot.print() ^ print) & ~store::print::kLock) != 0 || !store::print::matches(print, digest)) return false;
    fill(answer, outcome, false);
    answer.charged = 0;
    return true;
}

void MemoryStore::Impl::decide_single(Check& check, Digest digest, std::int64_t now) {
    Ask& ask = check.asks[0];
    const Limit& limit = ask.counters[0].limit;
    Answer& answer = ask.answers[0];
    answer.counter.digest = digest;
    ask.banned = false;
    ask.banned_for = Duration{0};

    if (const Slot slot = table_.find(digest)) {
        if (deny_unlocked(limit, slot, digest, now, ask.cost, answer)) {
            check.allowed = false;
            return;
        }
        slot.line->lock();
        const bool same = store::print::matches(slot.print(), digest);
        if (same) charge(limit, slot, check, now, answer);
        slot.line->unlock();
        if (same) {
            check.allowed = answer.allowed;
            return;
        }
    }
    decide_new(check, digest, now);
}

/// The key has no slot, or had lost it by the time that it was locked.
void MemoryStore::Impl::decide_new(Check& check, Digest digest, std::int64_t now) {
    const Ask& ask = check.asks[0];
    const Limit& limit = ask.counters[0].limit;
    Answer& answer = ask.answers[0];
    store::LineLocks locks;
    while (true) {
        locks.lock(table_.home(digest));
        Slot slot = table_.find(digest);
        if (!slot) {
            // A key that this check leaves without a state needs no slot.
            const store::Look fresh = store::look(limit, {}, epoch(), now, ask.cost);
            if (check.peek || ask.cost == 0 || (!fresh.fits && !limit.count_denied())) {
                fill(answer, store::report(limit, {}, epoch(), fresh.taken_at, ask.cost, fresh.fits), fresh.fits);
                answer.charged = 0;
                break;
            }
            slot = slots_.claim(digest, now - epoch(), locks, {});
        }
        if (slot && locks.try_lock(*slot.line) && store::print::matches(slot.print(), digest)) {
            charge(limit, slot, check, now, answer);
            break;
        }
        locks.unlock_all();
    }
    check.allowed = answer.allowed;
}

void MemoryStore::Impl::charge_any(const Limit& limit, Slot slot, const Check& check, std::int64_t now,
                                   Answer& answer) {
    const std::uint64_t cost = check.asks[0].cost;
    const store::StateWord state{slot.word(), store::print::tag(slot.print())};
    const store::Look seen = store::look(limit, state, epoch(), now, cost);
    if (!check.peek && cost > 0 && (seen.fits || limit.count_denied())) {
        consume(limit, slot, seen.taken_at, cost, check.lease_id, seen.fits, answer);
        return;
    }
    fill(answer, store::report(limit, state, epoch(), seen.taken_at, cost, seen.fits), seen.fits);
    answer.charged = 0;
}

void MemoryStore::Impl::consume(const Limit& limit, Slot slot, std::int64_t t, std::uint64_t cost,
                                std::uint64_t lease_id, bool allowed, Answer& answer) {
    if (limit.limit() > 0 || limit.algorithm() != Algorithm::token_bucket) {
        writer().take(limit, slot, t, cost, lease_id);
    }
    const store::StateWord state{slot.word(), store::tag_of(limit)};
    fill(answer, store::report(limit, state, epoch(), t, cost, allowed), allowed);
    answer.charged = allowed ? cost : 0;
    if (allowed) answer.moment = store::moment_of(limit, state, epoch(), t);
    note(limit, slot, answer.counter.digest, answer.remaining);
}

template <typename F>
void MemoryStore::Impl::with_slot(Digest digest, F&& f) {
    while (const Slot slot = table_.find(digest)) {
        slot.line->lock();
        const bool same = store::print::matches(slot.print(), digest);
        if (same) f(slot);
        slot.line->unlock();
        if (same) return;
    }
}

void MemoryStore::Impl::refund(const Limit& limit, const Answer& answer, std::uint64_t lease_id,
                               std::optional<Instant> time) {
    if (answer.charged == 0) return;
    const std::int64_t now = micros(time);
    with_slot(answer.counter.digest, [&](Slot slot) {
        if (slot.word() == 0) return;
        if (limit.algorithm() == Algorithm::concurrency) {
            writer().release(slot, lease_id, now);
        } else {
            writer().refund(limit, slot, now, answer.moment, answer.charged);
        }
        const store::StateWord state{slot.word(), store::tag_of(limit)};
        note(limit, slot, answer.counter.digest, store::report(limit, state, epoch(), now, 0, true).remaining);
    });
}

bool MemoryStore::Impl::release(Digest counter, std::uint64_t lease_id, std::optional<Instant> time) {
    const std::int64_t now = micros(time);
    bool held = false;
    with_slot(counter, [&](Slot slot) { held = writer().release(slot, lease_id, now); });
    return held;
}

bool MemoryStore::Impl::renew(Digest counter, std::uint64_t lease_id, std::optional<Instant> time) {
    const std::int64_t now = micros(time);
    bool held = false;
    with_slot(counter, [&](Slot slot) { held = writer().renew(slot, lease_id, now); });
    return held;
}

void MemoryStore::Impl::reset(const Ask& ask) {
    const auto forget = [this](Digest digest) { with_slot(digest, [this](Slot slot) { writer().clear(slot); }); };
    for (const Counter& counter : ask.counters) forget(digest_of(counter.id, ask.key));
    if (ask.ban != nullptr) forget(digest_of(ask.ban->id, ask.key));
}

std::optional<std::string> MemoryStore::Impl::refusal(const Limit& limit) const {
    std::size_t unit_bytes = 0;
    if (limit.algorithm() == Algorithm::sliding_log) {
        unit_bytes = store::LogRecord::width_for(limit.period().count());
    } else if (limit.algorithm() == Algorithm::concurrency) {
        unit_bytes = sizeof(core::Lease);
    } else {
        return std::nullopt;
    }
    const std::size_t most = record_budget_ / 4 / unit_bytes;
    if (limit.limit() <= most) return std::nullopt;
    return fmt::format(
        "limit: a {} of {} does not fit into the store's max_memory of {} bytes; the largest possible is {}",
        to_string(limit.algorithm()), limit.limit(), options_.max_memory, most);
}

MemoryStoreStats MemoryStore::Impl::stats() const noexcept {
    MemoryStoreStats stats;
    stats.capacity = table_.line_count() * store::kSlotsPerLine;
    for (std::size_t at = 0; at < table_.line_count(); ++at) {
        for (const auto& word : table_.line(at).words) stats.entries += word.load(std::memory_order_relaxed) != 0;
    }
    stats.evictions = slots_.evictions();
    stats.record_bytes = heap_.bytes();
    stats.memory_bytes = table_.line_count() * sizeof(Line) + stats.record_bytes;
    return stats;
}

MemoryStore::MemoryStore(MemoryStoreOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
MemoryStore::~MemoryStore() = default;
void MemoryStore::decide(std::span<Check> checks, std::optional<Instant> now) noexcept {
    impl_->decide(checks, now);
}
void MemoryStore::refund(const Limit& limit, const Answer& answer, std::uint64_t lease_id,
                         std::optional<Instant> now) noexcept {
    impl_->refund(limit, answer, lease_id, now);
}
ChangeAnswer MemoryStore::release(const CounterRef& counter, std::uint64_t lease_id,
                                  std::optional<Instant> now) noexcept {
    return {impl_->release(counter.digest, lease_id, now)};
}
ChangeAnswer MemoryStore::renew(const CounterRef& counter, std::uint64_t lease_id,
                                std::optional<Instant> now) noexcept {
    return {impl_->renew(counter.digest, lease_id, now)};
}
ChangeAnswer MemoryStore::reset(const Ask& ask) noexcept {
    impl_->reset(ask);
    return {true};
}
std::optional<std::string> MemoryStore::refusal(const Limit& limit) const {
    return impl_->refusal(limit);
}
Instant MemoryStore::now() const noexcept {
    return impl_->now();
}
MemoryStoreStats MemoryStore::stats() const noexcept {
    return impl_->stats();
}

}  // namespace stint::inline v0
