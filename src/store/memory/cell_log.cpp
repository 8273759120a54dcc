// Logs and leases in a slot. A log whose units were all taken at one time lives
// in the word; any other one, and all leases, in a record.
#include <algorithm>

#include "store/memory/cell.hpp"

namespace stint::inline v0::store {
namespace {

/// Copies the units of `from` to the front of `to`, whose ring is empty.
void copy_units(const LogState& from, LogRecord& to) {
    for (std::uint64_t i = 0; i < from.size(); ++i) to.append(static_cast<std::uint64_t>(from.time(i)));
}

}  // namespace

void CellWriter::take_log(const Limit& limit, Slot slot, std::int64_t t, std::uint64_t cost) {
    const std::uint64_t units = std::min(cost, limit.limit());  // a log keeps its newest N units
    if (units == 0) return;
    const std::int64_t gone_at = t + limit.period().count();
    if (!word::is_record(slot.word())) {
        const BurstState burst = burst_in_word(limit, slot.word(), epoch_);
        const std::uint64_t held = burst.units - core::SlidingLog::gone(limit, burst, t);
        if (held == 0 || burst.at == t) {
            // A lower limit than that of the grants forgives none of them.
            const auto next = word::make(gone_at - 1 - epoch_, std::min(std::max(limit.limit(), held), held + units));
            if (next) {
                slot.set_word(*next);
                return;
            }
        }
    }
    LogRecord* record = log_for(limit, slot, t, units);
    for (std::uint64_t i = 0; i < units; ++i) record->append(static_cast<std::uint64_t>(t));
    set_record(slot, record, gone_at);
}

/// Returns: the slot's record with what is live at `t`, and room for so many units more.
LogRecord* CellWriter::log_for(const Limit& limit, Slot slot, std::int64_t t, std::uint64_t units) {
    auto* record = record_as<LogRecord>(slot.word());
    std::uint64_t most = limit.limit();
    if (record != nullptr) {
        const LogState state{record, record->as_new_us - limit.period().count()};
        const std::uint64_t gone = core::SlidingLog::gone(limit, state, t);
        const std::uint64_t live = record->size - gone;
        most = std::max(most, live);  // a lower limit than that of the grants forgives none of them
        record->drop(gone + (live + units > most ? live + units - most : 0));
        if (record->size + units <= record->capacity) return record;
    }
    const BurstState burst = burst_in_word(limit, slot.word(), epoch_);
    std::uint64_t held = burst.units - core::SlidingLog::gone(limit, burst, t);
    if (record == nullptr) {
        most = std::max(most, held);
        held = std::min(held, most - units);
    }
    const std::uint64_t size = record == nullptr ? held : record->size;
    const std::uint64_t capacity = std::min(most, std::max(size + units, size + size / 2 + 2));

    const std::uint8_t width = LogRecord::width_for(limit.period().count());
    auto* next = heap_.allocate<LogRecord>(LogRecord::bytes(capacity, width));
    next->width = width;
    next->capacity = static_cast<std::uint32_t>(capacity);
    std::int64_t as_new_us = burst.at + limit.period().count();
    if (record != nullptr) {
        as_new_us = record->as_new_us;
        copy_units(LogState{record, as_new_us - limit.period().count()}, *next);
    } else {
        for (std::uint64_t i = 0; i < held; ++i) next->append(static_cast<std::uint64_t>(burst.at));
    }
    set_record(slot, next, as_new_us);
    return next;
}

void CellWriter::refund_log(const Limit& limit, Slot slot, std::int64_t moment, std::uint64_t units) {
    auto* record = record_as<LogRecord>(slot.word());
    if (record == nullptr) {
        const BurstState burst = burst_in_word(limit, slot.word(), epoch_);
        if (burst.units == 0 || burst.at != moment) return;
        if (burst.units <= units) return clear(slot);
        slot.set_word(slot.word() - units);
        return;
    }
    const LogState state{record, record->as_new_us - limit.period().count()};
    std::uint64_t kept = 0;
    for (std::uint64_t i = 0; i < state.size(); ++i) {
        const std::int64_t time = state.time(i);
        if (time == moment && units > 0) {
            --units;
            continue;
        }
        record->set_low_bits(kept++, static_cast<std::uint64_t>(time));
    }
    if (kept == 0) return clear(slot);
    record->oldest = record->low_bits(0);
    const std::int64_t newest = state.time(kept - 1);
    record->size = static_cast<std::uint32_t>(kept);
    set_record(slot, record, newest + limit.period().count());
}

void CellWriter::take_lease(const Limit& limit, Slot slot, std::int64_t t, std::uint64_t cost, std::uint64_t lease_id) {
    const std::int64_t end = t + limit.period().count();
    auto* record = record_as<LeasesRecord>(slot.word());
    std::int64_t last_end = end;
    if (record != nullptr) {
        const auto ended = std::ranges::remove_if(record->leases(), [t](const auto& lease) { return lease.end <= t; });
        record->size -= static_cast<std::uint32_t>(ended.size());
        for (const core::Lease& lease : record->leases()) last_end = std::max(last_end, lease.end);
    }
    if (record == nullptr || record->size == record->capacity) {
        const std::size_t size = record == nullptr ? 0 : record->size;
        const std::size_t capacity = std::min<std::size_t>(limit.limit(), std::max<std::size_t>(1, size * 2));
        auto* next = heap_.allocate<LeasesRecord>(LeasesRecord::bytes(std::max(capacity, size + 1)));
        next->capacity = static_cast<std::uint32_t>(std::max(capacity, size + 1));
        next->lease_us = limit.period().count();
        next->size = static_cast<std::uint32_t>(size);
        if (record != nullptr) std::ranges::copy(record->leases(), next->leases().begin());
        record = next;
    }
    ++record->size;
    record->leases().back() = {lease_id, end, cost};
    set_record(slot, record, last_end);
}

bool CellWriter::release(Slot slot, std::uint64_t lease_id, std::int64_t now) {
    auto* record = record_as<LeasesRecord>(slot.word());
    if (record == nullptr) return false;
    bool held = false;
    std::int64_t last_end = 0;
    const auto gone = std::ranges::remove_if(record->leases(), [&](const core::Lease& lease) {
        const bool this_one = lease.id == lease_id;
        held = held || (this_one && lease.end > now);
        if (!this_one) last_end = std::max(last_end, lease.end);
        return this_one;
    });
    record->size -= static_cast<std::uint32_t>(gone.size());
    if (record->size == 0) {
        clear(slot);
    } else {
        set_record(slot, record, last_end);
    }
    return held;
}

bool CellWriter::renew(Slot slot, std::uint64_t lease_id, std::int64_t now) {
    auto* record = record_as<LeasesRecord>(slot.word());
    if (record == nullptr) return false;
    for (core::Lease& lease : record->leases()) {
        if (lease.id != lease_id || lease.end <= now) continue;
        lease.end = std::max(lease.end, now + record->lease_us);
        set_record(slot, record, std::max(record->as_new_us, lease.end));
        return true;
    }
    return false;
}

}  // namespace stint::inline v0::store
