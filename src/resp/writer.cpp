#include "resp/writer.hpp"

#include <charconv>
#include <cmath>

#include "base/assert.hpp"
#include "resp/number.hpp"

namespace stint::inline v0::resp {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
// Enough for any 64-bit integer and for the shortest text of any double.
constexpr std::size_t kNumberBytesMax = 32;

/// A number's text, on the stack.
class NumberText {
public:
    template <typename Number>
    explicit NumberText(Number number) noexcept
        : size_(static_cast<std::size_t>(std::to_chars(bytes_, bytes_ + kNumberBytesMax, number).ptr - bytes_)) {}

    [[nodiscard]] std::string_view text() const noexcept { return {bytes_, size_}; }

private:
    char bytes_[kNumberBytesMax];
    std::size_t size_;
};

}  // namespace

void Writer::command(std::span<const std::string_view> arguments) {
    STINT_ASSERT(!arguments.empty());
    header('*', arguments.size());
    for (const std::string_view argument : arguments) bulk_string(argument);
}

void Writer::simple_string(std::string_view text) {
    line('+', text);
}

void Writer::error(std::string_view text) {
    line('-', text);
}

void Writer::bulk_string(std::string_view text) {
    header('$', text.size());
    body(text);
}

void Writer::bulk_error(std::string_view text) {
    if (version_ == Version::resp2) return error(text);
    header('!', text.size());
    body(text);
}

void Writer::integer(std::int64_t number) {
    out_ += ':';
    body(NumberText{number}.text());
}

void Writer::null() {
    out_ += version_ == Version::resp2 ? "$-1\r\n" : "_\r\n";
}

void Writer::boolean(bool truth) {
    if (version_ == Version::resp2) return integer(truth ? 1 : 0);
    out_ += truth ? "#t\r\n" : "#f\r\n";
}

void Writer::real(double number) {
    const NumberText text{number};
    // A NaN has a sign in to_chars, and none in RESP3.
    const std::string_view written = std::isnan(number) ? std::string_view{"nan"} : text.text();
    if (version_ == Version::resp2) return bulk_string(written);
    out_ += ',';
    body(written);
}

void Writer::big_number(std::string_view digits) {
    STINT_ASSERT(is_big_number(digits));
    if (version_ == Version::resp2) return bulk_string(digits);
    out_ += '(';
    body(digits);
}

void Writer::verbatim_string(const VerbatimText& verbatim) {
    STINT_ASSERT(verbatim.format.size() == 3);
    if (version_ == Version::resp2) return bulk_string(verbatim.text);
    header('=', verbatim.format.size() + 1 + verbatim.text.size());
    out_ += verbatim.format;
    out_ += ':';
    body(verbatim.text);
}

void Writer::array(std::size_t elements) {
    header('*', elements);
}

void Writer::map(std::size_t pairs) {
    if (version_ == Version::resp2) return header('*', 2 * pairs);
    header('%', pairs);
}

void Writer::set(std::size_t elements) {
    header(version_ == Version::resp2 ? '*' : '~', elements);
}

void Writer::push(std::size_t elements) {
    header(version_ == Version::resp2 ? '*' : '>', elements);
}

// Recursion goes as deep as the reader's depth_max let the value be.
void Writer::value(const Value& value) {
    switch (value.type()) {
        case Type::simple_string:
            return simple_string(value.text());
        case Type::error:
            return error(value.text());
        case Type::integer:
            return integer(value.integer());
        case Type::bulk_string:
            return bulk_string(value.text());
        case Type::null:
            return null();
        case Type::boolean:
            return boolean(value.boolean());
        case Type::real:
            return real(value.real());
        case Type::big_number:
            return big_number(value.text());
        case Type::bulk_error:
            return bulk_error(value.text());
        case Type::verbatim_string:
            return verbatim_string({.format = value.format(), .text = value.text()});
        case Type::array:
            array(value.size());
            break;
        case Type::map:
            map(value.size() / 2);
            break;
        case Type::set:
            set(value.size());
            break;
        case Type::push:
            push(value.size());
            break;
    }
    for (const Value& element : value) this->value(element);
}

void Writer::header(char type, std::size_t size) {
    out_ += type;
    body(NumberText{size}.text());
}

void Writer::line(char type, std::string_view text) {
    out_ += type;
    const std::size_t begin = out_.size();
    out_ += text;
    for (std::size_t at = begin; at < out_.size(); ++at) {
        if (out_[at] == '\r' || out_[at] == '\n') out_[at] = ' ';
    }
    out_ += kLineEnd;
}

void Writer::body(std::string_view text) {
    out_ += text;
    out_ += kLineEnd;
}

}  // namespace stint::inline v0::resp
