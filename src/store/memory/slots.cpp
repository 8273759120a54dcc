#include "store/memory/slots.hpp"

#include <algorithm>

namespace stint::inline v0::store {
namespace {

constexpr std::size_t kLinesPerGroup = 16;
constexpr std::size_t kGroupsSearched = 256;

/// A key's slot is given away only so long after the key is as new: another
/// thread may have read its clock a moment earlier and not have decided yet.
constexpr std::int64_t kSlackUs = 50'000;

/// Returns: the rank of a key of this level that is as new at once.
constexpr std::uint64_t rank_of(Level level) noexcept {
    return static_cast<std::uint64_t>(level) << 47;
}

/// Returns: the order in which keys go, the first to go having the least.
std::uint64_t rank(std::uint64_t print, std::uint64_t word) noexcept {
    return rank_of(print::level(print)) | static_cast<std::uint64_t>(word::as_new_at(word));
}

/// Returns: whether the slot may be free, as far as can be told without a lock.
bool may_be_free(std::uint64_t word, std::int64_t now) noexcept {
    return word::is_free(word, now) || (word::is_far_record(word) && now >= word::kTimeEnd - (1 << word::kCoarseBits));
}

}  // namespace

bool Slots::is_free(Slot slot, std::int64_t now) const noexcept {
    const std::uint64_t word = slot.word();
    if (!word::is_far_record(word)) return word::is_free(word, now);
    return word::record(word)->as_new_us - epoch_.load(std::memory_order_relaxed) <= now;
}

void Slots::empty(Slot slot) noexcept {
    const std::uint64_t word = slot.word();
    slot.set_word(0);
    if (word::is_record(word)) heap_.free(word::record(word));
}

Slot Slots::claim(Digest digest, std::int64_t now, LineLocks& locks, const SmallSet<Slot>& pinned) {
    Slot slot = claim_free(digest, now, locks, pinned);
    if (!slot) slot = claim_least_missed(digest, now, locks, pinned);
    if (!slot) {
        evictions_.add();  // the new state itself is what goes
        return slot;
    }
    empty(slot);
    slot.set_print(print::make(digest, Level::below_quarter, 0));
    return slot;
}

/// Slots that were never used come first: an expired key that comes back finds
/// its own slot, and does not in turn take that of another.
Slot Slots::claim_free(Digest digest, std::int64_t now, LineLocks& locks, const SmallSet<Slot>& pinned) {
    now -= kSlackUs;
    const auto lines = table_.candidates(digest);
    for (const bool unused : {true, false}) {
        for (Line* line : lines) {
            for (std::size_t i = 0; i < kSlotsPerLine; ++i) {
                const Slot slot{line, i};
                const auto usable = [&] { return unused ? slot.word() == 0 : may_be_free(slot.word(), now); };
                if (!usable() || pinned.contains(slot)) continue;
                if (!locks.try_lock(*line)) break;
                if (usable() && is_free(slot, now)) return slot;
            }
        }
    }
    return {};
}

Slot Slots::claim_least_missed(Digest digest, std::int64_t now, LineLocks& locks, const SmallSet<Slot>& pinned) {
    const auto lines = table_.candidates(digest);
    const std::size_t start = digest.low >> 8;  // ties go at random
    unsigned busy = 0;                          // lines that others hold
    for (std::size_t attempt = 0; attempt < lines.size(); ++attempt) {
        Slot least;
        std::size_t least_line = 0;
        std::uint64_t least_rank = ~std::uint64_t{0};
        for (std::size_t n = 0; n < lines.size() * kSlotsPerLine; ++n) {
            const std::size_t at = (start + n) % (lines.size() * kSlotsPerLine);
            const std::size_t line = at / kSlotsPerLine;
            const Slot slot{lines[line], at % kSlotsPerLine};
            if ((busy >> line & 1) != 0 || pinned.contains(slot)) continue;
            const std::uint64_t its_rank = rank(slot.print(), slot.word());
            if (its_rank < least_rank) {
                least = slot;
                least_line = line;
                least_rank = its_rank;
            }
        }
        if (!least) return {};
        if (!locks.try_lock(*least.line)) {
            busy |= 1U << least_line;
            continue;
        }
        // It may have been charged or replaced while the lock was awaited.
        if (rank(least.print(), least.word()) > least_rank) continue;
        if (!is_free(least, now)) evictions_.add();
        return least;
    }
    return {};
}

/// Goes round the table, a group of lines at a time. Records of expired keys
/// are freed; of the others the one that would be missed least goes, and the
/// hand goes on past groups that hold none below half of its limit. One round
/// at most, so that nobody is kept for long.
void Slots::reclaim(std::int64_t now) noexcept {
    const std::size_t groups = (table_.line_count() + kLinesPerGroup - 1) / kLinesPerGroup;
    Candidate least;
    std::size_t searched = 0;
    for (std::size_t i = 0; i < groups && heap_.bytes() > record_budget_; ++i) {
        const std::size_t group = hand_.fetch_add(1, std::memory_order_relaxed) % groups;
        least = reclaim_group(group * kLinesPerGroup, now, least);
        const bool dispensable = least.slot && least.rank < rank_of(Level::below_limit);
        if (!dispensable && ++searched < kGroupsSearched) continue;
        drop(least);
        least = {};
        searched = 0;
    }
}

/// Returns: the record of the group that would be missed less than `least`, or that one.
Slots::Candidate Slots::reclaim_group(std::size_t first_line, std::int64_t now, Candidate least) noexcept {
    now -= kSlackUs;
    const std::size_t end = std::min(first_line + kLinesPerGroup, table_.line_count());
    for (std::size_t at = first_line; at < end; ++at) {
        Line& line = table_.line(at);
        for (std::size_t i = 0; i < kSlotsPerLine; ++i) {
            const Slot slot{&line, i};
            const std::uint64_t word = slot.word();
            if (!word::is_record(word)) continue;
            if (may_be_free(word, now)) {
                if (!line.try_lock()) break;
                if (word::is_record(slot.word()) && is_free(slot, now)) empty(slot);
                line.unlock();
            } else if (const std::uint64_t its_rank = rank(slot.print(), word); its_rank < least.rank) {
                least = {slot, its_rank};
            }
        }
    }
    return least;
}

/// Drops the candidate's record, if it has not become dearer meanwhile.
void Slots::drop(const Candidate& candidate) noexcept {
    const Slot slot = candidate.slot;
    if (!slot || heap_.bytes() <= record_budget_ || !slot.line->try_lock()) return;
    if (word::is_record(slot.word()) && rank(slot.print(), slot.word()) <= candidate.rank) {
        empty(slot);
        evictions_.add();
    }
    slot.line->unlock();
}

}  // namespace stint::inline v0::store
