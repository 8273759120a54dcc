#include "resp/inline_command.hpp"

#include <cstddef>

namespace stint::inline v0::resp {
namespace {

bool is_space(char byte) noexcept {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

int hex_digit(char byte) noexcept {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return -1;
}

char escaped(char letter) noexcept {
    switch (letter) {
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        case 'b':
            return '\b';
        case 'a':
            return '\a';
        default:
            return letter;
    }
}

/// Unquotes in place: what is written is never longer than what was read.
class Argument {
public:
    explicit Argument(std::span<char> line) noexcept : line_(line) {}

    /// Returns: whether quotes close, and before white space.
    bool take_quoted(char quote) noexcept {
        ++read_;
        while (read_ < line_.size() && line_[read_] != quote) take_quoted_byte(quote);
        if (read_ == line_.size()) return false;
        ++read_;
        return at_end();
    }
    void take_plain() noexcept { line_[written_++] = line_[read_++]; }

    [[nodiscard]] bool at_end() const noexcept { return read_ == line_.size() || is_space(line_[read_]); }
    [[nodiscard]] char next() const noexcept { return line_[read_]; }
    [[nodiscard]] std::string_view text() const noexcept { return {line_.data(), written_}; }
    [[nodiscard]] std::span<char> rest() const noexcept { return line_.subspan(read_); }

private:
    void take_quoted_byte(char quote) noexcept {
        const std::size_t left = line_.size() - read_;
        if (line_[read_] != '\\' || left < 2 || (quote == '\'' && line_[read_ + 1] != '\'')) return take_plain();
        const int high = left < 4 || line_[read_ + 1] != 'x' ? -1 : hex_digit(line_[read_ + 2]);
        const int low = high < 0 ? -1 : hex_digit(line_[read_ + 3]);
        if (quote == '"' && low >= 0) {
            line_[written_++] = static_cast<char>(high * 16 + low);
            read_ += 4;
        } else {
            line_[written_++] = quote == '"' ? escaped(line_[read_ + 1]) : '\'';
            read_ += 2;
        }
    }

    std::span<char> line_;
    std::size_t read_ = 0;
    std::size_t written_ = 0;
};

}  // namespace

Parsed<std::optional<std::string_view>> take_argument(std::span<char>& line) noexcept {
    while (!line.empty() && is_space(line.front())) line = line.subspan(1);
    if (line.empty()) return std::nullopt;
    Argument argument{line};
    while (!argument.at_end()) {
        const char byte = argument.next();
        if (byte == '"' || byte == '\'') {
            if (!argument.take_quoted(byte)) {
                return tl::unexpected<std::string_view>{"quotes that do not close before white space"};
            }
        } else if (byte == '\0') {
            return tl::unexpected<std::string_view>{"a zero byte in an inline command"};
        } else {
            argument.take_plain();
        }
    }
    line = argument.rest();
    return argument.text();
}

}  // namespace stint::inline v0::resp
