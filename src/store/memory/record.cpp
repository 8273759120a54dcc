#include "store/memory/record.hpp"

#include <malloc.h>

#include <bit>
#include <cstdlib>
#include <new>

#include "base/assert.hpp"
#include "store/memory/word.hpp"

namespace stint::inline v0::store {
namespace {

/// The allocator keeps a word before each block.
std::size_t size_with_overhead(void* block) noexcept {
    return malloc_usable_size(block) + sizeof(std::size_t);
}

}  // namespace

void* RecordHeap::allocate_bytes(std::size_t bytes) {
    void* block = std::calloc(1, bytes);
    if (block == nullptr) throw std::bad_alloc{};
    // A state word has 43 bits for the address, and the low four are none.
    STINT_ASSERT((std::bit_cast<std::uintptr_t>(block) & ~word::kAddressable) == 0);
    bytes_.fetch_add(size_with_overhead(block), std::memory_order_relaxed);
    return block;
}

void RecordHeap::free(Record* record) noexcept {
    bytes_.fetch_sub(size_with_overhead(record), std::memory_order_relaxed);
    std::free(record);
}

}  // namespace stint::inline v0::store
