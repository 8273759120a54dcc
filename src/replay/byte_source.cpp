#include "replay/byte_source.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.hpp"

namespace stint::inline v0::replay {
namespace {

constexpr std::size_t kInputBytes = std::size_t{64} << 10;
constexpr int kGzipOnly = 15 + 16;  // the largest window; gzip framing, not zlib's

}  // namespace

class ByteSource::Inflater {
public:
    Inflater() { STINT_ASSERT(inflateInit2(&stream_, kGzipOnly) == Z_OK); }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    struct Step {
        std::size_t used = 0;
        std::size_t made = 0;
    };
    // Takes some of the input and makes some output.
    Result<Step> step(char* in, std::size_t in_size, char* out, std::size_t out_size) {
        in_member_ = true;
        stream_.next_in = reinterpret_cast<Bytef*>(in);
        stream_.avail_in = static_cast<uInt>(in_size);
        stream_.next_out = reinterpret_cast<Bytef*>(out);
        stream_.avail_out = static_cast<uInt>(std::min(out_size, std::size_t{1} << 30));
        const uInt room = stream_.avail_out;
        const int code = inflate(&stream_, Z_NO_FLUSH);
        if (code == Z_STREAM_END) {
            in_member_ = false;
            inflateReset(&stream_);
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            return failure(std::string{"broken gzip data: "} + (stream_.msg != nullptr ? stream_.msg : zError(code)));
        }
        return Step{.used = in_size - stream_.avail_in, .made = room - stream_.avail_out};
    }
    // Within a member, and not between two.
    [[nodiscard]] bool in_member() const noexcept { return in_member_; }

private:
    z_stream stream_{};
    bool in_member_ = false;
};

ByteSource::ByteSource(std::istream& in) : in_(in), input_(std::make_unique<char[]>(kInputBytes)) {}
ByteSource::~ByteSource() = default;

// Reads more input behind what is not yet used.
Result<void> ByteSource::fill() {
    std::memmove(input_.get(), input_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    in_.read(input_.get() + end_, static_cast<std::streamsize>(kInputBytes - end_));
    end_ += static_cast<std::size_t>(in_.gcount());
    at_end_ = !in_.good();
    if (in_.bad()) return failure("cannot be read");
    return {};
}

bool ByteSource::at_magic() {
    return end_ - begin_ >= 2 && input_[begin_] == '\x1f' && input_[begin_ + 1] == '\x8b';
}

Result<std::size_t> ByteSource::read(char* out, std::size_t size) {
    if (!started_) {
        started_ = true;
        if (auto filled = fill(); !filled) return failure(filled.error());
        if (at_magic()) inflater_ = std::make_unique<Inflater>();
    }
    return inflater_ ? read_gzip(out, size) : read_plain(out, size);
}

Result<std::size_t> ByteSource::read_plain(char* out, std::size_t size) {
    if (begin_ == end_ && !at_end_) {
        if (auto filled = fill(); !filled) return failure(filled.error());
    }
    const std::size_t count = std::min(size, end_ - begin_);
    std::memcpy(out, input_.get() + begin_, count);
    begin_ += count;
    consumed_ += count;
    return count;
}

Result<std::size_t> ByteSource::read_gzip(char* out, std::size_t size) {
    for (;;) {
        if (end_ - begin_ < 2 && !at_end_) {
            if (auto filled = fill(); !filled) return failure(filled.error());
        }
        if (!inflater_->in_member()) {
            if (begin_ == end_) return std::size_t{0};
            if (!at_magic()) {
                // As gzip does: what follows the last member is not part of the log.
                warning_ = "passed over what follows the gzip data";
                begin_ = end_;
                at_end_ = true;
                return std::size_t{0};
            }
        }
        const auto step = inflater_->step(input_.get() + begin_, end_ - begin_, out, size);
        if (!step) return failure(step.error());
        begin_ += step->used;
        consumed_ += step->used;
        if (step->made > 0) return step->made;
        if (begin_ == end_ && at_end_ && inflater_->in_member()) return failure("the gzip data ends in the middle");
    }
}

}  // namespace stint::inline v0::replay
