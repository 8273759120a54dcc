// The table of the embedded store: open addressing, shared by all threads,
// and ignorant of algorithms. A line is one cache line of four fingerprints and
// four state words; two neighbouring lines are a pair; every key has four
// candidate pairs, of which the first is its home, and of the home one line is
// preferred. There is no probing beyond them and nothing is ever moved.
//
// A state word (word.hpp) tells when its key is as if never used, so that an
// expired slot is a free one for every algorithm, and eviction can rank keys
// without knowing what they count. Beside the fingerprint stand three notes:
// whether the line is locked (first slot only), how much of its limit the key
// had used (level), and a tag of the algorithm's own.
//
// Locking: whoever changes a line holds its lock, a bit in its first
// fingerprint. A key is inserted only under the lock of its home line, so two
// threads never claim two slots for one key. Looking needs no lock.
//
// Cost: a hit touches one or two cache lines, a miss eight.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/uint128.hpp"
#include "stint/store.hpp"
#include "store/memory/word.hpp"

namespace stint::inline v0::store {

inline constexpr std::size_t kSlotsPerLine = 4;
inline constexpr std::size_t kCandidateLines = 8;

/// Odd numbers without pattern; each spreads a digest over the pairs anew.
inline constexpr std::array<std::uint64_t, kCandidateLines / 2> kSpread{1, 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f,
                                                                        0xd6e8feb86659fd93};

/// How much of its limit a key had used when it was last charged.
enum class Level : std::uint8_t { below_quarter, below_half, below_limit, at_limit };

/// A fingerprint word: 56 bits of the digest, 2 of level, 5 of tag, 1 lock.
namespace print {
inline constexpr std::uint64_t kLock = 1;
inline constexpr std::uint64_t kNotes = 0xff;
inline constexpr std::uint8_t kTagMax = 31;

[[nodiscard]] constexpr std::uint64_t make(Digest digest, Level level, std::uint8_t tag) noexcept {
    return (digest.low & ~kNotes) | static_cast<std::uint64_t>(level) << 6 | static_cast<std::uint64_t>(tag) << 1;
}
[[nodiscard]] constexpr bool matches(std::uint64_t print, Digest digest) noexcept {
    return ((print ^ digest.low) & ~kNotes) == 0;
}
[[nodiscard]] constexpr Level level(std::uint64_t print) noexcept {
    return static_cast<Level>(print >> 6 & 3);
}
[[nodiscard]] constexpr std::uint8_t tag(std::uint64_t print) noexcept {
    return static_cast<std::uint8_t>(print >> 1 & kTagMax);
}
}  // namespace print

struct alignas(64) Line {
    std::array<std::atomic<std::uint64_t>, kSlotsPerLine> prints;
    std::array<std::atomic<std::uint64_t>, kSlotsPerLine> words;

    void lock() noexcept {
        if ((prints[0].fetch_or(print::kLock, std::memory_order_acquire) & print::kLock) != 0) wait_for_lock();
    }
    /// Returns: whether the lock was had within a short spin.
    [[nodiscard]] bool try_lock() noexcept;
    void unlock() noexcept {
        prints[0].store(prints[0].load(std::memory_order_relaxed) & ~print::kLock, std::memory_order_release);
    }

private:
    void wait_for_lock() noexcept;
};
static_assert(sizeof(Line) == 64);

/// A slot of a line. Threads: to change it, hold the line's lock.
struct Slot {
    Line* line = nullptr;
    std::size_t index = 0;

    explicit operator bool() const noexcept { return line != nullptr; }
    [[nodiscard]] std::uint64_t print() const noexcept { return line->prints[index].load(std::memory_order_acquire); }
    [[nodiscard]] std::uint64_t word() const noexcept { return line->words[index].load(std::memory_order_acquire); }
    void set_word(std::uint64_t word) const noexcept { line->words[index].store(word, std::memory_order_release); }
    /// Sets fingerprint and notes, and leaves the lock as it is.
    void set_print(std::uint64_t print) const noexcept {
        const std::uint64_t lock = line->prints[index].load(std::memory_order_relaxed) & print::kLock;
        line->prints[index].store(print | lock, std::memory_order_release);
    }
    friend bool operator==(const Slot&, const Slot&) = default;
    friend std::size_t hash_value(const Slot& slot) noexcept {
        return (reinterpret_cast<std::size_t>(slot.line) >> 6) * kSlotsPerLine + slot.index;
    }
};

class Table {
public:
    /// Reserves address space for so many pairs of lines; it is touched as it fills.
    /// Errors: throws std::bad_alloc.
    Table(std::size_t pairs, bool huge_pages);
    ~Table();
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    [[nodiscard]] std::size_t line_count() const noexcept { return pairs_ * 2; }
    [[nodiscard]] Line& line(std::size_t index) const noexcept { return lines_[index]; }

    [[nodiscard]] Line& home(Digest digest) const noexcept { return lines_[pair_of(digest, 0) * 2 + (digest.low & 1)]; }
    [[nodiscard]] Line& neighbour(Line& line) const noexcept {
        return lines_[static_cast<std::size_t>(&line - lines_) ^ 1];
    }
    /// Returns: all lines in which the key may be, its home first.
    [[nodiscard]] std::array<Line*, kCandidateLines> candidates(Digest digest) const noexcept;

    void prefetch(Digest digest) const noexcept { __builtin_prefetch(&home(digest), 1, 3); }

    /// Returns: the slot whose fingerprint is the key's, if there is one. Its
    /// state may have expired, or be empty. Without a lock the answer may be
    /// outdated at once: check the fingerprint again under the line's lock.
    [[nodiscard]] Slot find(Digest digest) const noexcept {
        const Slot slot = find_in(home(digest), digest);
        return slot ? slot : find_elsewhere(digest);
    }

private:
    [[nodiscard]] static Slot find_in(Line& line, Digest digest) noexcept {
        for (std::size_t i = 0; i < kSlotsPerLine; ++i) {
            // A fingerprint of zeroes is not told from an empty slot; its word is.
            if (print::matches(line.prints[i].load(std::memory_order_acquire), digest)) return {&line, i};
        }
        return {};
    }
    [[nodiscard]] Slot find_elsewhere(Digest digest) const noexcept;
    [[nodiscard]] std::size_t pair_of(Digest digest, std::size_t candidate) const noexcept {
        return static_cast<std::size_t>(Uint128{digest.high * kSpread[candidate]} * pairs_ >> 64);
    }

    Line* lines_;
    std::size_t pairs_;
    std::size_t bytes_;
};

}  // namespace stint::inline v0::store
