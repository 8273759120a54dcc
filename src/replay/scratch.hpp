// Where decoded text goes while one line is read: as much space as the line
// needs at most, taken at once, so that views into it stay good until the next
// line. Threads: one at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/assert.hpp"

namespace stint::inline v0::replay {

class Scratch {
public:
    /// Makes room for `most` bytes; ends every view given out before.
    void begin(std::size_t most) {
        text_.clear();
        text_.reserve(most);
    }
    void push(char c) {
        STINT_DASSERT(text_.size() < text_.capacity());
        text_.push_back(c);
    }
    [[nodiscard]] std::size_t mark() const noexcept { return text_.size(); }
    [[nodiscard]] std::string_view since(std::size_t mark) const noexcept {
        return std::string_view{text_}.substr(mark);
    }
    /// Requires: begin() made room for it.
    std::string_view copy(std::string_view text) {
        STINT_DASSERT(text.size() <= text_.capacity() - text_.size());
        const std::size_t start = mark();
        text_.append(text);
        return since(start);
    }
    [[nodiscard]] std::string_view all() const noexcept { return text_; }

private:
    std::string text_;
};

}  // namespace stint::inline v0::replay
