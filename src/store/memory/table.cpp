#include "store/memory/table.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <new>

namespace stint::inline v0::store {
namespace {

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

void Line::wait_for_lock() noexcept {
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

std::array<Line*, kCandidateLines> Table::candidates(Digest digest) const noexcept {
    std::array<Line*, kCandidateLines> lines{};
    for (std::size_t i = 0; i < kSpread.size(); ++i) {
        Line* preferred = &lines_[pair_of(digest, i) * 2 + (digest.low & 1)];
        lines[2 * i] = preferred;
        lines[2 * i + 1] = &neighbour(*preferred);
    }
    return lines;
}

Slot Table::find_elsewhere(Digest digest) const noexcept {
    const auto lines = candidates(digest);
    if (const Slot slot = find_in(*lines[1], digest)) return slot;
    for (std::size_t i = 2; i < lines.size(); ++i) __builtin_prefetch(lines[i]);
    for (std::size_t i = 2; i < lines.size(); ++i) {
        if (const Slot slot = find_in(*lines[i], digest)) return slot;
    }
    return {};
}

}  // namespace stint::inline v0::store
