// Bytes that arrive at one end and are taken at the other, in one piece of
// memory, so that a value that has arrived can be looked at where it lies. A
// byte is moved a constant number of times on average, however small the pieces.
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace stint::inline v0::resp {

class InputBuffer {
public:
    /// Memory up to this is kept for what comes; more is given back once all has been taken.
    static constexpr std::size_t kKeptBytes = std::size_t{256} * 1024;

    /// Returns: room for at least `wanted` bytes. May move the bytes that are there.
    [[nodiscard]] std::span<char> prepare(std::size_t wanted);
    /// Takes the first `count` bytes of that room as arrived.
    void commit(std::size_t count) noexcept;

    [[nodiscard]] char* data() noexcept { return bytes_.get() + begin_; }
    [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
    /// Takes `count` bytes off the front; they stay where they are until the next prepare().
    void consume(std::size_t count) noexcept;
    /// Returns: how many were taken in all.
    [[nodiscard]] std::uint64_t consumed() const noexcept { return consumed_; }

private:
    void make_room(std::size_t wanted);

    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::uint64_t consumed_ = 0;
};

}  // namespace stint::inline v0::resp
