// A vector that keeps its first elements in itself, so that an ordinary
// decision costs no allocation. (Boost's small_vector does more; public headers need the standard library alone.)
// Tested by src/base/inline_vector_test.cpp. Threads: as std::vector.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// What std::vector has of these functions, with the same meaning. Moving moves the elements, unless they lie
/// elsewhere: pointers to them do not survive it. A moved-from vector is empty.
template <typename T, std::size_t kInline>
class InlineVector {
    static_assert(kInline > 0 && std::is_nothrow_move_constructible_v<T>);

public:
    using value_type = T;
    using reference = T&;
    using const_reference = const T&;
    using iterator = T*;
    using const_iterator = const T*;

    InlineVector() noexcept = default;
    InlineVector(const InlineVector& other) {
        reserve(other.size_);
        std::uninitialized_copy(other.begin(), other.end(), data());
        size_ = other.size_;
    }
    InlineVector(InlineVector&& other) noexcept { take(other); }
    InlineVector& operator=(const InlineVector& other) {
        if (this != &other) *this = InlineVector{other};
        return *this;
    }
    InlineVector& operator=(InlineVector&& other) noexcept {
        if (this == &other) return *this;
        destroy();
        take(other);
        return *this;
    }
    ~InlineVector() { destroy(); }

    [[nodiscard]] T* data() noexcept { return heap_ != nullptr ? heap_ : in_place(); }
    [[nodiscard]] const T* data() const noexcept { return const_cast<InlineVector*>(this)->data(); }
    [[nodiscard]] iterator begin() noexcept { return data(); }
    [[nodiscard]] iterator end() noexcept { return data() + size_; }
    [[nodiscard]] const_iterator begin() const noexcept { return data(); }
    [[nodiscard]] const_iterator end() const noexcept { return data() + size_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] T& operator[](std::size_t index) noexcept { return data()[index]; }
    [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return data()[index]; }
    [[nodiscard]] T& front() noexcept { return *data(); }
    [[nodiscard]] const T& front() const noexcept { return *data(); }
    [[nodiscard]] T& back() noexcept { return data()[size_ - 1]; }
    [[nodiscard]] const T& back() const noexcept { return data()[size_ - 1]; }

    void reserve(std::size_t count) {
        if (count <= capacity_) return;
        T* larger = std::allocator<T>{}.allocate(count);
        std::uninitialized_move(begin(), end(), larger);
        const std::size_t size = size_;
        destroy();
        heap_ = larger;
        capacity_ = count;
        size_ = size;
    }
    void push_back(T element) {
        if (size_ == capacity_) reserve(2 * capacity_);
        std::construct_at(data() + size_, std::move(element));
        ++size_;
    }
    void clear() noexcept {
        std::destroy(begin(), end());
        size_ = 0;
    }

    friend bool operator==(const InlineVector& left, const InlineVector& right) {
        return std::equal(left.begin(), left.end(), right.begin(), right.end());
    }

private:
    [[nodiscard]] T* in_place() noexcept { return std::launder(reinterpret_cast<T*>(bytes_)); }

    /// Ends the elements and gives their memory back; leaves an empty vector.
    void destroy() noexcept {
        clear();
        if (heap_ == nullptr) return;
        std::allocator<T>{}.deallocate(heap_, capacity_);
        heap_ = nullptr;
        capacity_ = kInline;
    }
    /// Requires: this is empty, in place.
    void take(InlineVector& other) noexcept {
        if (other.heap_ != nullptr) {
            heap_ = std::exchange(other.heap_, nullptr);
            capacity_ = std::exchange(other.capacity_, kInline);
            size_ = std::exchange(other.size_, 0);
            return;
        }
        std::uninitialized_move(other.begin(), other.end(), in_place());
        size_ = other.size_;
        other.clear();
    }

    T* heap_ = nullptr;  // null: the elements lie in bytes_
    std::size_t size_ = 0;
    std::size_t capacity_ = kInline;
    alignas(T) std::byte bytes_[kInline * sizeof(T)];
};

}  // namespace stint::inline v0
#pragma GCC visibility pop
