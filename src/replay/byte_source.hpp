// The bytes of a log, plain or gzip. Which of the two is told by the first
// bytes, so that standard input works too; a gzip file may have any number of
// members. Tested by line_reader_test.cpp. Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace stint::inline v0::replay {

class ByteSource {
public:
    /// `in` must outlive it and be open for binary reading.
    explicit ByteSource(std::istream& in);
    ~ByteSource();
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    /// Fills at most `size` bytes, size > 0. Returns: how many; 0 at the end.
    /// Errors: broken gzip data, a read that failed.
    [[nodiscard]] Result<std::size_t> read(char* out, std::size_t size);

    /// Returns: how many bytes of `in` were used up, compressed as they are.
    [[nodiscard]] std::uint64_t consumed() const noexcept { return consumed_; }
    /// Returns: what was passed over without being an error; empty if nothing was.
    [[nodiscard]] const std::string& warning() const noexcept { return warning_; }

private:
    class Inflater;

    Result<void> fill();
    Result<std::size_t> read_plain(char* out, std::size_t size);
    Result<std::size_t> read_gzip(char* out, std::size_t size);
    [[nodiscard]] bool at_magic();

    std::istream& in_;
    std::unique_ptr<char[]> input_;
    std::size_t begin_ = 0;  // the input that is not yet used is input_[begin_, end_)
    std::size_t end_ = 0;
    std::uint64_t consumed_ = 0;
    bool at_end_ = false;
    bool started_ = false;
    std::unique_ptr<Inflater> inflater_;  // null: plain
    std::string warning_;
};

}  // namespace stint::inline v0::replay
