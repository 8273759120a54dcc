#include "replay/line_reader.hpp"

#include <algorithm>
#include <cstring>

namespace stint::inline v0::replay {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(std::istream& in, std::size_t line_bytes_max) : source_(in), line_bytes_max_(line_bytes_max) {}

// Moves what is left to the front and reads more behind it.
// Returns: whether there was more.
Result<bool> LineReader::more() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() - end_ < kChunkBytes) buffer_.resize(end_ + kChunkBytes);
    const auto count = source_.read(buffer_.data() + end_, buffer_.size() - end_);
    if (!count) return failure(count.error());
    end_ += *count;
    return *count > 0;
}

Result<bool> LineReader::next(Line& line) {
    line = {};
    std::size_t searched = 0;
    bool at_end = false;
    std::size_t newline = std::string_view::npos;
    std::string_view rest;
    for (;;) {
        rest = std::string_view{buffer_}.substr(begin_, end_ - begin_);
        newline = rest.find('\n', searched);
        if (newline != std::string_view::npos) break;
        // Of a line that is too long only its beginning is kept.
        if (rest.size() > line_bytes_max_ + 1) {
            line.too_long = true;
            end_ = begin_ + line_bytes_max_ + 1;
        }
        searched = end_ - begin_;
        const auto found = more();
        if (!found) return failure(found.error());
        if (!*found) {
            rest = std::string_view{buffer_}.substr(begin_, end_ - begin_);
            at_end = true;
            break;
        }
    }
    if (at_end && rest.empty()) return false;
    line.text = rest.substr(0, newline);
    begin_ += at_end ? rest.size() : newline + 1;
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    if (line.too_long || line.text.size() > line_bytes_max_) {
        line.too_long = true;
        line.text = line.text.substr(0, line_bytes_max_);
    }
    if (++line_number_ == 1 && line.text.starts_with(kByteOrderMark)) line.text.remove_prefix(kByteOrderMark.size());
    return true;
}

}  // namespace stint::inline v0::replay
