// Which slot a key gets: one that is free, or the one whose key would be missed
// least. Also keeps the records within their share of the memory.
//
// Missed least: the smallest used share of its limit (Level), then the nearest
// to being as new, then at random. So a key at its limit goes only when all
// keys near it are at theirs.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/sharded_counter.hpp"
#include "base/small_set.hpp"
#include "store/memory/record.hpp"
#include "store/memory/table.hpp"

namespace stint::inline v0::store {

/// The lines that one check holds; unlocked at the end of its life.
class LineLocks {
public:
    LineLocks() = default;
    LineLocks(const LineLocks&) = delete;
    LineLocks& operator=(const LineLocks&) = delete;
    ~LineLocks() { unlock_all(); }

    /// Waits for the lock. Requires: all that is held lies before this line.
    void lock(Line& line) {
        if (lines_.contains(&line)) return;
        line.lock();
        lines_.insert(&line);
    }
    /// Returns: whether the line is now held; does not wait for long.
    [[nodiscard]] bool try_lock(Line& line) {
        if (lines_.contains(&line)) return true;
        if (!line.try_lock()) return false;
        lines_.insert(&line);
        return true;
    }
    void unlock_all() noexcept {
        for (Line* line : lines_) line->unlock();
        lines_.clear();
    }

private:
    SmallSet<Line*> lines_;
};

class Slots {
public:
    Slots(Table& table, RecordHeap& heap, std::size_t record_budget, const std::atomic<std::int64_t>& epoch) noexcept
        : table_(table), heap_(heap), record_budget_(record_budget), epoch_(epoch) {}

    /// Returns: an empty slot that carries the key's fingerprint, its line held;
    /// none only if every slot near is in `pinned`. `now`: since the epoch.
    /// Requires: the lock of the key's home line; the key has no slot.
    [[nodiscard]] Slot claim(Digest digest, std::int64_t now, LineLocks& locks, const SmallSet<Slot>& pinned);

    /// Drops records until they fit their share of the memory.
    void keep_within_budget(std::int64_t now) noexcept {
        if (heap_.bytes() > record_budget_) reclaim(now);
    }

    [[nodiscard]] std::uint64_t evictions() const noexcept { return evictions_.value(); }

private:
    [[nodiscard]] Slot claim_free(Digest digest, std::int64_t now, LineLocks& locks, const SmallSet<Slot>& pinned);
    [[nodiscard]] Slot claim_least_missed(Digest digest, std::int64_t now, LineLocks& locks,
                                          const SmallSet<Slot>& pinned);
    void reclaim(std::int64_t now) noexcept;
    struct Candidate {
        Slot slot;
        std::uint64_t rank = ~std::uint64_t{0};
    };
    [[nodiscard]] Candidate reclaim_group(std::size_t first_line, std::int64_t now, Candidate least) noexcept;
    void drop(const Candidate& candidate) noexcept;
    /// Requires: the line's lock.
    [[nodiscard]] bool is_free(Slot slot, std::int64_t now) const noexcept;
    void empty(Slot slot) noexcept;

    Table& table_;
    RecordHeap& heap_;
    std::size_t record_budget_;
    const std::atomic<std::int64_t>& epoch_;
    std::atomic<std::size_t> hand_{0};
    ShardedCounter evictions_;
};

}  // namespace stint::inline v0::store
