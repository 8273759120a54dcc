#include "resp/input_buffer.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace stint::inline v0::resp {
namespace {

constexpr std::size_t kFirstBytes = 4096;

}  // namespace

std::span<char> InputBuffer::prepare(std::size_t wanted) {
    if (begin_ == end_) {
        begin_ = end_ = 0;
        if (capacity_ > kKeptBytes && wanted <= kKeptBytes) {
            bytes_.reset();
            capacity_ = 0;
        }
    }
    if (capacity_ - end_ < wanted) make_room(wanted);
    return {bytes_.get() + end_, capacity_ - end_};
}

void InputBuffer::make_room(std::size_t wanted) {
    const std::size_t unread = size();
    // Moving to the front pays only where more bytes were taken than are moved.
    if (begin_ >= unread && capacity_ - unread >= wanted) {
        std::copy(bytes_.get() + begin_, bytes_.get() + end_, bytes_.get());
    } else {
        const std::size_t capacity = std::max({2 * capacity_, unread + wanted, kFirstBytes});
        auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
        std::copy(bytes_.get() + begin_, bytes_.get() + end_, bytes.get());
        bytes_ = std::move(bytes);
        capacity_ = capacity;
    }
    begin_ = 0;
    end_ = unread;
}

void InputBuffer::commit(std::size_t count) noexcept {
    STINT_ASSERT(count <= capacity_ - end_);
    end_ += count;
}

void InputBuffer::consume(std::size_t count) noexcept {
    STINT_ASSERT(count <= size());
    begin_ += count;
    consumed_ += count;
}

}  // namespace stint::inline v0::resp
