#include "store/memory/cell.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace stint::inline v0::store {

std::int64_t moment_of(const Limit& limit, StateWord word, std::int64_t epoch, std::int64_t t) noexcept {
    switch (limit.algorithm()) {
        case Algorithm::token_bucket: {
            return core::TokenBucket::rounded_up(bucket_state(limit, word, epoch)).full_us;
        }
        case Algorithm::fixed_window:
            return window_state(word, epoch).end;
        case Algorithm::sliding_window:
            return core::SlidingWindow::part_of(limit, t);
        case Algorithm::sliding_log:
        case Algorithm::concurrency:
            break;
    }
    return t;
}

void CellWriter::take(const Limit& limit, Slot slot, std::int64_t t, std::uint64_t cost, std::uint64_t lease_id) {
    switch (limit.algorithm()) {
        case Algorithm::fixed_window:
            return take_window(slot, core::FixedWindow::take(limit, window_state(state_of(slot), epoch_), t, cost));
        case Algorithm::sliding_window:
            return take_parts(limit, slot, t, cost);
        case Algorithm::sliding_log:
            return take_log(limit, slot, t, cost);
        case Algorithm::concurrency:
            return take_lease(limit, slot, t, cost, lease_id);
        case Algorithm::token_bucket:
            break;
    }
    take_bucket(limit, slot, core::TokenBucket::take(limit, bucket_state(limit, state_of(slot), epoch_), t, cost));
}

void CellWriter::take_bucket(const Limit& limit, Slot slot, const core::TokenBucket::State& state) {
    put(slot, state.full_us - epoch_, state.rest, core::TokenBucket::rounded_up(state).full_us, state.full_us,
        limit.token_us_den());
}

void CellWriter::take_window(Slot slot, const core::FixedWindow::State& state) {
    if (state.count == 0) return clear(slot);
    put(slot, state.end - 1 - epoch_, state.count, state.end, state.end);
}

void CellWriter::put(Slot slot, std::int64_t word_time, std::uint64_t number, std::int64_t as_new_us,
                     std::int64_t time_us, std::uint64_t unit) {
    if (const auto word = word::make(word_time, number)) {
        if (word::is_record(slot.word())) heap_.free(word::record(slot.word()));
        slot.set_word(*word);
        return;
    }
    auto* wide = record_as<WideRecord>(slot.word());
    if (wide == nullptr) wide = heap_.allocate<WideRecord>(sizeof(WideRecord));
    wide->time_us = time_us;
    wide->number = number;
    wide->unit = unit;
    set_record(slot, wide, as_new_us);
}

void CellWriter::set_record(Slot slot, Record* record, std::int64_t as_new_us) {
    const std::uint64_t old = slot.word();
    if (word::is_record(old) && word::record(old) != record) heap_.free(word::record(old));
    record->as_new_us = as_new_us;
    slot.set_word(word::make_record(record, as_new_us - epoch_));
}

void CellWriter::clear(Slot slot) noexcept {
    const std::uint64_t old = slot.word();
    slot.set_word(0);
    if (word::is_record(old)) heap_.free(word::record(old));
}

void CellWriter::refund(const Limit& limit, Slot slot, std::int64_t now, std::int64_t moment, std::uint64_t units) {
    switch (limit.algorithm()) {
        case Algorithm::fixed_window:
            return take_window(slot, core::FixedWindow::refund(window_state(state_of(slot), epoch_), moment, units));
        case Algorithm::sliding_window:
            return refund_parts(limit, slot, moment, units);
        case Algorithm::sliding_log:
            return refund_log(limit, slot, moment, units);
        case Algorithm::concurrency:
            return;
        case Algorithm::token_bucket:
            break;
    }
    const auto state = bucket_state(limit, state_of(slot), epoch_);
    take_bucket(limit, slot, core::TokenBucket::refund(limit, state, now, moment, units));
}

}  // namespace stint::inline v0::store
