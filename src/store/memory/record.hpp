// States that do not fit a word: sub-windows, logs, leases, and counters with
// numbers too large for 16 bits. A record is one block of the heap; the heap
// counts what is out, so that the store can stay within its memory.
//
// Threads: a record belongs to its slot and is touched under its line's lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/concurrency.hpp"
#include "core/sliding_window.hpp"

namespace stint::inline v0::store {

/// What all records begin with.
struct Record {
    enum class Kind : std::uint8_t { wide, parts, log, leases };

    std::int64_t as_new_us = 0;  // since 1970
    Kind kind = Kind::wide;
};

/// One time and one number.
struct WideRecord : Record {
    static constexpr Kind kKind = Kind::wide;
    std::int64_t time_us = 0;
    std::uint64_t number = 0;
    std::uint64_t unit = 0;  // a bucket's n, under which `number` was written
};

/// Counts of consecutive parts of a sliding window, 2 or 4 bytes each.
struct PartsRecord : Record {
    static constexpr Kind kKind = Kind::parts;
    std::uint8_t width = 2;
    std::uint16_t size = 0;
    std::uint16_t capacity = 0;
    std::int64_t first = 0;

    [[nodiscard]] static std::size_t bytes(std::size_t capacity, std::size_t width) noexcept {
        return sizeof(PartsRecord) + capacity * width;
    }
    template <typename Count>
    [[nodiscard]] std::span<Count> counts() noexcept {
        return {reinterpret_cast<Count*>(this + 1), size};
    }
    template <typename Count>
    [[nodiscard]] core::SlidingWindow::State<Count> state() noexcept {
        return {first, counts<Count>()};
    }
};

/// The times of single units, a ring of their low 4 to 7 bytes. The newest time
/// is known in full (as_new_us - period), and no older one is further from it
/// than the width can tell.
struct LogRecord : Record {
    static constexpr Kind kKind = Kind::log;
    std::uint8_t width = 4;
    std::uint32_t head = 0;  // of the oldest
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;
    /// The low bits of the oldest time: whether a unit has left is then told
    /// without a look into the ring, which for a large log is another miss.
    std::uint64_t oldest = 0;

    [[nodiscard]] static std::size_t bytes(std::size_t capacity, std::size_t width) noexcept {
        // Times are read and written eight bytes at a time: the last one needs room behind it.
        return sizeof(LogRecord) + capacity * width + (sizeof(std::uint64_t) - width);
    }
    [[nodiscard]] static std::uint8_t width_for(std::int64_t period_us) noexcept {
        std::uint8_t width = 4;
        while (period_us >> (8 * width) != 0) ++width;
        return width;
    }
    [[nodiscard]] std::uint64_t low_bits(std::uint64_t index) const noexcept {
        std::uint64_t value = 0;
        std::memcpy(&value, place(index), sizeof value);
        return value & mask();
    }
    void append(std::uint64_t value) noexcept {
        if (size == 0) oldest = value & mask();
        set_low_bits(size++, value);
    }
    /// Forgets the oldest `units`.
    void drop(std::uint64_t units) noexcept {
        if (units == 0) return;
        head = static_cast<std::uint32_t>((head + units) % capacity);
        size -= static_cast<std::uint32_t>(units);
        if (size > 0) oldest = low_bits(0);
    }
    void set_low_bits(std::uint64_t index, std::uint64_t value) noexcept {
        std::memcpy(const_cast<std::byte*>(place(index)), &value, width);
    }
    [[nodiscard]] std::uint64_t mask() const noexcept { return (std::uint64_t{1} << (8 * width)) - 1; }

private:
    [[nodiscard]] const std::byte* place(std::uint64_t index) const noexcept {
        std::uint64_t at = head + index;
        if (at >= capacity) at -= capacity;
        return reinterpret_cast<const std::byte*>(this + 1) + at * width;
    }
};

/// A log record as core::SlidingLog reads it.
struct LogState {
    const LogRecord* record;
    std::int64_t newest_us;

    [[nodiscard]] std::uint64_t size() const noexcept { return record->size; }
    [[nodiscard]] std::int64_t newest() const noexcept { return newest_us; }
    [[nodiscard]] std::int64_t time(std::uint64_t index) const noexcept {
        const std::uint64_t low_bits = index == 0 ? record->oldest : record->low_bits(index);
        const std::uint64_t age = (static_cast<std::uint64_t>(newest_us) - low_bits) & record->mask();
        return newest_us - static_cast<std::int64_t>(age);
    }
};

struct LeasesRecord : Record {
    static constexpr Kind kKind = Kind::leases;
    std::int64_t lease_us = 0;  // part of the kind of limit, so the same for all
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;

    [[nodiscard]] static std::size_t bytes(std::size_t capacity) noexcept {
        return sizeof(LeasesRecord) + capacity * sizeof(core::Lease);
    }
    [[nodiscard]] std::span<core::Lease> leases() noexcept { return {reinterpret_cast<core::Lease*>(this + 1), size}; }
};

/// Where records come from. Threads: any.
class RecordHeap {
public:
    /// Returns: a record of so many bytes, zeroed behind its header.
    template <typename R>
    [[nodiscard]] R* allocate(std::size_t bytes) {
        R* record = new (allocate_bytes(bytes)) R;
        record->kind = R::kKind;
        return record;
    }
    void free(Record* record) noexcept;

    /// Returns: the bytes of all records that are out, with what the allocator adds.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

private:
    void* allocate_bytes(std::size_t bytes);

    std::atomic<std::size_t> bytes_{0};
};

}  // namespace stint::inline v0::store
