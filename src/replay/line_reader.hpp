// A log, line by line, in bounded memory. Lines end with \n or \r\n; the last
// one may have no end. Any bytes are allowed, NUL too. A byte order mark at the
// start is no part of the first line.
// Tested by line_reader_test.cpp. Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "replay/byte_source.hpp"

namespace stint::inline v0::replay {

class LineReader {
public:
    /// Longer lines are passed over and reported as too long.
    static constexpr std::size_t kLineBytesMax = std::size_t{1} << 20;

    /// `in` must outlive it and be open for binary reading.
    explicit LineReader(std::istream& in, std::size_t line_bytes_max = kLineBytesMax);

    struct Line {
        std::string_view text;  ///< without its end; lives until the next call
        bool too_long = false;  ///< `text` is only the beginning
    };

    /// Reads the next line. Returns: whether there was one.
    /// Errors: what ByteSource::read says.
    [[nodiscard]] Result<bool> next(Line& line);

    /// Returns: how many lines were read so far, which is the last one's number from 1.
    [[nodiscard]] std::uint64_t line_number() const noexcept { return line_number_; }
    [[nodiscard]] const ByteSource& source() const noexcept { return source_; }

private:
    Result<bool> more();

    ByteSource source_;
    std::size_t line_bytes_max_;
    std::string buffer_;
    std::size_t begin_ = 0;  // what is not yet given out is buffer_[begin_, end_)
    std::size_t end_ = 0;
    std::uint64_t line_number_ = 0;
};

}  // namespace stint::inline v0::replay
