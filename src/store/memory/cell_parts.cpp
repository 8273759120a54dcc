// Sub-windows in a slot: one used part in the word, several in a record that
// covers the parts from the oldest used to the newest.
#include <algorithm>
#include <cstring>

#include "store/memory/cell.hpp"

namespace stint::inline v0::store {
namespace {

using core::SlidingWindow;

constexpr std::uint64_t kNarrowMax = 0xffff;

std::uint64_t count_at(PartsRecord& record, std::size_t index) {
    return record.width == 2 ? record.counts<std::uint16_t>()[index] : record.counts<std::uint32_t>()[index];
}

void set_count(PartsRecord& record, std::size_t index, std::uint64_t count) {
    if (record.width == 2) {
        record.counts<std::uint16_t>()[index] = static_cast<std::uint16_t>(count);
    } else {
        record.counts<std::uint32_t>()[index] = static_cast<std::uint32_t>(count);
    }
}

/// Forgets the parts before `oldest`, and zeroes before the first used part.
void drop_before(PartsRecord& record, std::int64_t oldest) {
    std::size_t drop = 0;
    while (drop < record.size &&
           (record.first + static_cast<std::int64_t>(drop) < oldest || count_at(record, drop) == 0)) {
        ++drop;
    }
    if (drop == 0) return;
    auto* counts = reinterpret_cast<std::byte*>(&record + 1);
    std::memmove(counts, counts + drop * record.width, (record.size - drop) * record.width);
    record.size = static_cast<std::uint16_t>(record.size - drop);
    record.first += static_cast<std::int64_t>(drop);
}

}  // namespace

void CellWriter::take_parts(const Limit& limit, Slot slot, std::int64_t t, std::uint64_t cost) {
    const std::int64_t current = SlidingWindow::part_of(limit, t);
    const std::int64_t oldest = SlidingWindow::oldest_part(limit, t);
    const std::int64_t gone_at = SlidingWindow::part_gone_at(limit, current);

    if (!word::is_record(slot.word())) {
        const PartInWord held = part_in_word(limit, slot.word(), epoch_);
        const bool alone = held.count == 0 || held.index < oldest || held.index == current;
        const std::uint64_t count = core::add_count(held.index == current ? held.count : 0, cost);
        if (const auto next = word::make(gone_at - 1 - epoch_, count); next && alone) {
            slot.set_word(*next);
            return;
        }
    }
    PartsRecord* record = parts_for(limit, slot, oldest, current);
    const auto index = static_cast<std::size_t>(current - record->first);
    const std::uint64_t count = core::add_count(count_at(*record, index), cost);
    if (count > kNarrowMax && record->width == 2) record = resize_parts(slot, record, record->capacity, 4);
    set_count(*record, index, count);
    set_record(slot, record, gone_at);
}

/// Returns: the slot's record, reaching from its oldest live part to `current`.
PartsRecord* CellWriter::parts_for(const Limit& limit, Slot slot, std::int64_t oldest, std::int64_t current) {
    auto* record = record_as<PartsRecord>(slot.word());
    if (record == nullptr) {
        const PartInWord held = part_in_word(limit, slot.word(), epoch_);
        const bool live = held.count > 0 && held.index >= oldest;
        const std::int64_t part = live ? held.index : current;
        record = resize_parts(slot, nullptr, static_cast<std::size_t>(current - part) + 1, 2);
        record->first = part;
        record->size = 1;
        set_count(*record, 0, live ? held.count : 0);
        set_record(slot, record, SlidingWindow::part_gone_at(limit, part));
    } else {
        drop_before(*record, oldest);
        if (record->size == 0) record->first = current;
    }
    const auto size = static_cast<std::size_t>(current - record->first) + 1;
    if (size > record->capacity) {
        const std::size_t most = limit.buckets() + 1;
        record = resize_parts(slot, record, std::min(most, std::max<std::size_t>(size, record->capacity * 2U)),
                              record->width);
    }
    while (record->size < size) {
        ++record->size;
        set_count(*record, record->size - 1U, 0);
    }
    return record;
}

/// Moves the record into a new block and makes it the slot's.
PartsRecord* CellWriter::resize_parts(Slot slot, PartsRecord* record, std::size_t capacity, std::uint8_t width) {
    auto* next = heap_.allocate<PartsRecord>(PartsRecord::bytes(capacity, width));
    next->capacity = static_cast<std::uint16_t>(capacity);
    next->width = width;
    if (record != nullptr) {
        next->first = record->first;
        next->size = record->size;
        for (std::size_t i = 0; i < record->size; ++i) set_count(*next, i, count_at(*record, i));
        set_record(slot, next, record->as_new_us);
    }
    return next;
}

void CellWriter::refund_parts(const Limit& limit, Slot slot, std::int64_t part, std::uint64_t units) {
    auto* record = record_as<PartsRecord>(slot.word());
    if (record == nullptr) {
        const PartInWord held = part_in_word(limit, slot.word(), epoch_);
        if (held.count == 0 || held.index != part) return;
        if (held.count <= units) return clear(slot);
        slot.set_word(slot.word() - units);
        return;
    }
    if (part < record->first || part >= record->first + record->size) return;
    const auto index = static_cast<std::size_t>(part - record->first);
    set_count(*record, index, core::left_of(count_at(*record, index), units));
    while (record->size > 0 && count_at(*record, record->size - 1U) == 0) --record->size;
    if (record->size == 0) return clear(slot);
    set_record(slot, record, SlidingWindow::part_gone_at(limit, record->first + record->size - 1));
}

}  // namespace stint::inline v0::store
