// One counter in its slot: reads the state word (or record) as the state that
// its algorithm understands, and writes the next one back. This is the one
// place that knows both the table's words and core's algorithms.
//
// Threads: look() may be called without a lock on a word that is no record;
// everything else needs the lock of the slot's line.
#pragma once

#include <cstdint>

#include "core/concurrency.hpp"
#include "core/fixed_window.hpp"
#include "core/outcome.hpp"
#include "core/sliding_log.hpp"
#include "core/sliding_window.hpp"
#include "core/token_bucket.hpp"
#include "store/memory/record.hpp"
#include "store/memory/table.hpp"
#include "store/memory/word.hpp"

namespace stint::inline v0::store {

/// What a limit says before anything is consumed.
struct Look {
    std::int64_t taken_at = 0;
    bool fits = true;
};

/// Units of a log that were all taken at one time.
struct BurstState {
    std::int64_t at = 0;
    std::uint64_t units = 0;
    [[nodiscard]] std::uint64_t size() const noexcept { return units; }
    [[nodiscard]] std::int64_t time(std::uint64_t) const noexcept { return at; }
    [[nodiscard]] std::int64_t newest() const noexcept { return at; }
};

/// A state word with the tag that stands beside it.
struct StateWord {
    std::uint64_t word = 0;
    std::uint8_t tag = 0;
};

[[nodiscard]] inline std::uint8_t tag_of(const Limit& limit) noexcept {
    return limit.algorithm() == Algorithm::token_bucket
               ? static_cast<std::uint8_t>(limit.token_us_den() % print::kTagMax)
               : std::uint8_t{0};
}

/// Returns: the record if it is of the kind that the caller's limit keeps.
template <typename R>
[[nodiscard]] R* record_as(std::uint64_t word) noexcept {
    if (!word::is_record(word)) return nullptr;
    Record* record = word::record(word);
    return record->kind == R::kKind ? static_cast<R*>(record) : nullptr;
}

[[nodiscard]] inline core::TokenBucket::State bucket_state(const Limit& limit, StateWord state,
                                                           std::int64_t epoch) noexcept {
    using State = core::TokenBucket::State;
    if (const auto* wide = record_as<WideRecord>(state.word)) {
        const State stored{wide->time_us, wide->number};
        return wide->unit == limit.token_us_den() ? stored : core::TokenBucket::rounded_up(stored);
    }
    if (state.word == 0 || word::is_record(state.word)) return {};
    const State stored{epoch + word::time(state.word), word::payload(state.word)};
    const bool same_unit = state.tag == tag_of(limit) && stored.rest < limit.token_us_den();
    return same_unit ? stored : core::TokenBucket::rounded_up(stored);
}

[[nodiscard]] inline core::FixedWindow::State window_state(StateWord state, std::int64_t epoch) noexcept {
    if (const auto* wide = record_as<WideRecord>(state.word)) return {wide->time_us, wide->number};
    if (state.word == 0 || word::is_record(state.word)) return {};
    return {epoch + word::time(state.word) + 1, word::payload(state.word)};
}

/// The one used part of a sliding window, when the word itself holds it.
struct PartInWord {
    std::int64_t index = 0;
    std::uint32_t count = 0;  // 0: the word holds none
};
[[nodiscard]] inline PartInWord part_in_word(const Limit& limit, std::uint64_t word, std::int64_t epoch) noexcept {
    if (word == 0 || word::is_record(word)) return {};
    const std::int64_t gone_at = epoch + word::time(word) + 1;
    return {gone_at / limit.part_us() - limit.buckets() - 1, static_cast<std::uint32_t>(word::payload(word))};
}

/// The units of a log that were all taken at one time, when the word itself holds them.
[[nodiscard]] inline BurstState burst_in_word(const Limit& limit, std::uint64_t word, std::int64_t epoch) noexcept {
    if (word == 0 || word::is_record(word)) return {};
    return {epoch + word::time(word) + 1 - limit.period().count(), word::payload(word)};
}

/// Calls f(algorithm, state) with what the word holds.
template <typename F>
decltype(auto) visit_state(const Limit& limit, StateWord state, std::int64_t epoch, F&& f) {
    switch (limit.algorithm()) {
        case Algorithm::fixed_window:
            return f(core::FixedWindow{}, window_state(state, epoch));
        case Algorithm::sliding_window: {
            using core::SlidingWindow;
            if (auto* parts = record_as<PartsRecord>(state.word)) {
                return parts->width == 2 ? f(SlidingWindow{}, parts->state<std::uint16_t>())
                                         : f(SlidingWindow{}, parts->state<std::uint32_t>());
            }
            const PartInWord part = part_in_word(limit, state.word, epoch);
            const std::size_t size = part.count > 0 ? 1 : 0;
            return f(SlidingWindow{}, SlidingWindow::State<std::uint32_t>{part.index, {&part.count, size}});
        }
        case Algorithm::sliding_log: {
            if (const auto* log = record_as<LogRecord>(state.word)) {
                return f(core::SlidingLog{}, LogState{log, log->as_new_us - limit.period().count()});
            }
            return f(core::SlidingLog{}, burst_in_word(limit, state.word, epoch));
        }
        case Algorithm::concurrency: {
            auto* leases = record_as<LeasesRecord>(state.word);
            return f(core::Concurrency{},
                     leases == nullptr ? core::Concurrency::State{} : core::Concurrency::State{leases->leases()});
        }
        case Algorithm::token_bucket:
            break;
    }
    return f(core::TokenBucket{}, bucket_state(limit, state, epoch));
}

[[nodiscard]] inline Look look(const Limit& limit, StateWord word, std::int64_t epoch, std::int64_t now,
                               std::uint64_t cost) noexcept {
    return visit_state(limit, word, epoch, [&](auto algorithm, const auto& state) -> Look {
        const std::int64_t t = algorithm.taken_at(limit, state, now);
        return {t, algorithm.fits(limit, state, t, cost)};
    });
}

[[nodiscard]] inline core::Outcome report(const Limit& limit, StateWord word, std::int64_t epoch, std::int64_t taken_at,
                                          std::uint64_t cost, bool allowed) noexcept {
    return visit_state(limit, word, epoch, [&](auto algorithm, const auto& state) -> core::Outcome {
        return algorithm.report(limit, state, taken_at, cost, allowed);
    });
}

[[nodiscard]] inline Level level_of(std::uint64_t remaining, std::uint64_t ceiling) noexcept {
    if (remaining == 0) return Level::at_limit;
    const std::uint64_t used = ceiling - remaining;
    if (used < ceiling / 4) return Level::below_quarter;
    return used < divide_up<std::uint64_t>(ceiling, 2) ? Level::below_half : Level::below_limit;
}

/// Writes states. Threads: the line's lock is held.
class CellWriter {
public:
    CellWriter(RecordHeap& heap, std::int64_t epoch) noexcept : heap_(heap), epoch_(epoch) {}

    /// Consumes `cost` at `t`, which is not before what the state holds.
    /// The level beside the fingerprint is the caller's to note.
    void take(const Limit& limit, Slot slot, std::int64_t t, std::uint64_t cost, std::uint64_t lease_id);

    /// Gives back `units` that were charged to `moment` (Answer::moment).
    void refund(const Limit& limit, Slot slot, std::int64_t now, std::int64_t moment, std::uint64_t units);

    /// Returns: whether the lease was held.
    bool release(Slot slot, std::uint64_t lease_id, std::int64_t now);
    bool renew(Slot slot, std::uint64_t lease_id, std::int64_t now);

    /// Stores one time and one number: in the word if they fit, else in a record.
    void put(Slot slot, std::int64_t word_time, std::uint64_t number, std::int64_t as_new_us, std::int64_t time_us,
             std::uint64_t unit = 0);
    /// Makes the slot empty.
    void clear(Slot slot) noexcept;

private:
    void take_bucket(const Limit& limit, Slot slot, const core::TokenBucket::State& state);
    void take_window(Slot slot, const core::FixedWindow::State& state);
    void take_parts(const Limit& limit, Slot slot, std::int64_t t, std::uint64_t cost);
    void take_log(const Limit& limit, Slot slot, std::int64_t t, std::uint64_t cost);
    void take_lease(const Limit& limit, Slot slot, std::int64_t t, std::uint64_t cost, std::uint64_t lease_id);
    void refund_parts(const Limit& limit, Slot slot, std::int64_t part, std::uint64_t units);
    void refund_log(const Limit& limit, Slot slot, std::int64_t moment, std::uint64_t units);

    PartsRecord* parts_for(const Limit& limit, Slot slot, std::int64_t oldest, std::int64_t current);
    PartsRecord* resize_parts(Slot slot, PartsRecord* record, std::size_t capacity, std::uint8_t width);
    LogRecord* log_for(const Limit& limit, Slot slot, std::int64_t t, std::uint64_t units);
    void set_record(Slot slot, Record* record, std::int64_t as_new_us);

    [[nodiscard]] StateWord state_of(Slot slot) const noexcept { return {slot.word(), print::tag(slot.print())}; }

    RecordHeap& heap_;
    std::int64_t epoch_;
};

/// Returns: what a refund of a grant at `t` will need (Answer::moment).
/// Requires: the grant has been written to `word`.
[[nodiscard]] std::int64_t moment_of(const Limit& limit, StateWord word, std::int64_t epoch, std::int64_t t) noexcept;

}  // namespace stint::inline v0::store
