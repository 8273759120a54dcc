#include "store/memory/table.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <new>

#include "base/uint128.hpp"

namespace stint::store {
namespace {

/// Odd numbers without pattern; each spreads a digest over the pairs anew.
constexpr std::array<std::uint64_t, kCandidateLines / 2> kSpread{1, 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f,
                                                                 0xd6e8feb86659fd93};
constexpr int kSpins = 64;

void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

}  // namespace

bool Line::try_lock() noexcept {
    for (int spin = 0; spin < kSpins; ++spin) {
        if ((prints[0].load(std::memory_order_relaxed) & print::kLock) == 0 &&
            (prints[0].fetch_or(print::kLock, std::memory_order_acquire) & print::kLock) == 0) {
            return true;
        }
        pause();
    }
    return false;
}

void Line::lock() noexcept {
    if ((prints[0].fetch_or(print::kLock, std::memory_order_acquire) & print::kLock) == 0) return;
    // The holder may have lost its processor: let it run.
    while (!try_lock()) sched_yield();
}

Table::Table(std::size_t pairs, bool huge_pages) : pairs_(pairs), bytes_(pairs * 2 * sizeof(Line)) {
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc{};
    if (huge_pages) madvise(memory, bytes_, MADV_HUGEPAGE);
    // Fresh pages are zeroes, which are empty lines; lines have no other start.
    lines_ = static_cast<Line*>(memory);
}

Table::~Table() {
    munmap(lines_, bytes_);
}

std::size_t Table::pair_of(Digest digest, std::size_t candidate) const noexcept {
    return static_cast<std::size_t>(Uint128{digest.high * kSpread[candidate]} * pairs_ >> 64);
}

std::array<Line*, kCandidateLines> Table::candidates(Digest digest) const noexcept {
    std::array<Line*, kCandidateLines> lines{};
    for (std::size_t i = 0; i < kSpread.size(); ++i) {
        Line* preferred = &lines_[pair_of(digest, i) * 2 + (digest.low & 1)];
        lines[2 * i] = preferred;
        lines[2 * i + 1] = &neighbour(*preferred);
    }
    return lines;
}

Slot Table::find(Digest digest) const noexcept {
    const auto look = [digest](Line& line) noexcept -> Slot {
        for (std::size_t i = 0; i < kSlotsPerLine; ++i) {
            const std::uint64_t print = line.prints[i].load(std::memory_order_acquire);
            // A fingerprint of zeroes is not told from an empty slot; its word is.
            if (print::matches(print, digest)) return {&line, i};
        }
        return {};
    };
    Line& first = home(digest);
    if (const Slot slot = look(first)) return slot;
    Line& second = neighbour(first);
    if (const Slot slot = look(second)) return slot;
    const auto lines = candidates(digest);
    for (std::size_t i = 2; i < lines.size(); ++i) __builtin_prefetch(lines[i]);
    for (std::size_t i = 2; i < lines.size(); ++i) {
        if (const Slot slot = look(*lines[i])) return slot;
    }
    return {};
}

}  // namespace stint::store
