#include "resp/reader.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "resp/inline_command.hpp"
#include "resp/number.hpp"

namespace stint::inline v0::resp {
namespace {

constexpr std::size_t kLineEndBytes = 2;
constexpr std::size_t kFormatBytes = 4;  // `txt:`
constexpr std::size_t kKeptNodes = 4096;
constexpr std::string_view kNoLineEnd = "no CRLF where one must be";

std::size_t find(const char* data, std::size_t from, std::size_t to, char byte) noexcept {
    const void* found = from < to ? std::memchr(data + from, byte, to - from) : nullptr;
    return found == nullptr ? to : static_cast<std::size_t>(static_cast<const char*>(found) - data);
}

bool is_aggregate(char type) noexcept {
    return std::string_view{"*%~>|"}.find(type) != std::string_view::npos;
}

bool is_bulk(char type) noexcept {
    return type == '$' || type == '!' || type == '=';
}

bool is_scalar(char type) noexcept {
    return std::string_view{"+-:_#,("}.find(type) != std::string_view::npos;
}

Type aggregate_type(char type) noexcept {
    switch (type) {
        case '%':
            return Type::map;
        case '~':
            return Type::set;
        case '>':
            return Type::push;
        default:
            return Type::array;
    }
}

}  // namespace

Reader::Reader(const ReaderOptions& options) : options_(options) {}

std::span<char> Reader::prepare(std::size_t size) {
    drop_delivered();
    if (buffer_.size() == 0 && nodes_.capacity() > kKeptNodes) nodes_ = std::vector<Value>{};
    const char* before = buffer_.data();
    const std::span<char> room = buffer_.prepare(size);
    moved_ = moved_ || buffer_.data() != before;
    return room;
}

Result<const Value*, ProtocolError> Reader::next() {
    drop_delivered();
    while (!error_) {
        switch (step()) {
            case Step::starved:
                return nullptr;
            case Step::element:
                if (!close_aggregates()) break;
                if (options_.input == Input::commands && nodes_.front().size() == 0) {
                    start_value();
                    break;
                }
                if (moved_) mend_views();
                delivered_ = true;
                return nodes_.data();
            case Step::more:
            case Step::failed:
                break;
        }
    }
    return tl::unexpected<ProtocolError>{*error_};
}

void Reader::drop_delivered() noexcept {
    if (std::exchange(delivered_, false)) start_value();
}

/// Takes what has been read off the buffer and begins afresh behind it.
void Reader::start_value() noexcept {
    buffer_.consume(position_);
    nodes_.clear();
    position_ = searched_ = 0;
    elements_ = 0;
    moved_ = false;
}

Reader::Step Reader::step() {
    if (bulk_) return read_bulk();
    if (position_ == buffer_.size()) return Step::starved;
    const char type = buffer_.data()[position_];
    if (options_.input == Input::commands) {
        if (frames_.empty() && type != '*') return read_inline();
        if (!frames_.empty() && type != '$') return fail(position_, "an argument that is not a bulk string");
        return read_line(type);
    }
    if (is_scalar(type) || is_bulk(type) || is_aggregate(type)) return read_line(type);
    if (type == ';' || type == '.') return fail(position_, "streamed strings and aggregates are not supported");
    return fail(position_, "a byte that begins no type");
}

Reader::Step Reader::read_line(char type) {
    const char* data = buffer_.data();
    const std::size_t begin = position_ + 1;
    // One byte further than a line may reach, as far as it has arrived.
    const std::size_t arrived = buffer_.size() - begin;
    const bool whole = arrived > options_.line_bytes_max;
    const std::size_t limit = whole ? begin + options_.line_bytes_max + 1 : buffer_.size();
    const std::size_t end = find(data, std::max(begin, searched_), limit, '\r');
    searched_ = end;
    if (end == limit && whole) return fail(position_, "a line longer than line_bytes_max");
    if (buffer_.size() - end < kLineEndBytes) return Step::starved;
    if (data[end + 1] != '\n') return fail(end, kNoLineEnd);
    if (end + kLineEndBytes > options_.value_bytes_max) return fail(position_, "a value longer than value_bytes_max");
    const std::string_view line{data + begin, end - begin};
    Step done = Step::more;
    if (is_bulk(type)) {
        done = open_bulk(type, line);
    } else if (is_aggregate(type)) {
        done = open_aggregate(type, line);
    } else {
        done = read_scalar(type, line);
    }
    if (done != Step::failed) position_ = searched_ = end + kLineEndBytes;
    return done;
}

/// Lines of commands may end with a bare line feed: people type them.
Reader::Step Reader::read_inline() {
    const char* data = buffer_.data();
    const std::size_t most = options_.line_bytes_max;
    const bool whole = buffer_.size() >= kLineEndBytes && buffer_.size() - kLineEndBytes >= most;
    const std::size_t limit = whole ? most + kLineEndBytes : buffer_.size();
    const std::size_t end = find(data, searched_, limit, '\n');
    searched_ = end;
    if (end == limit && !whole) return Step::starved;
    const std::size_t bytes = end > 0 && data[end - 1] == '\r' ? end - 1 : end;
    if (end == limit || bytes > most) return fail(0, "a line longer than line_bytes_max");
    if (end >= options_.value_bytes_max) return fail(0, "a value longer than value_bytes_max");
    position_ = end + 1;
    return split_inline(bytes);
}

Reader::Step Reader::split_inline(std::size_t bytes) {
    std::span<char> line{buffer_.data(), bytes};
    add(Value{Type::array});
    for (;;) {
        const auto argument = take_argument(line);
        if (!argument) return fail(0, argument.error());
        if (!*argument) break;
        const std::string_view text = **argument;
        if (text.size() > options_.bulk_bytes_max) return fail(0, "a bulk string longer than bulk_bytes_max");
        if (elements_ == options_.elements_max) return fail(0, "a value of more elements than elements_max");
        ++elements_;
        add_text(Type::bulk_string, static_cast<std::size_t>(text.data() - buffer_.data()), text.size());
    }
    nodes_.front().number_ = elements_;
    nodes_.front().extent_ = elements_ + 1;
    return Step::element;
}

Reader::Step Reader::read_scalar(char type, std::string_view line) {
    switch (type) {
        case '+':
        case '-':
            if (line.find('\n') != std::string_view::npos) return fail(position_, "a line feed inside a line");
            add_text(type == '+' ? Type::simple_string : Type::error, position_ + 1, line.size());
            return Step::element;
        case ':': {
            const auto integer = parse_integer(line);
            if (!integer) return fail(position_, integer.error());
            add(Value{Type::integer, *integer});
            return Step::element;
        }
        case ',': {
            const auto real = parse_real(line);
            if (!real) return fail(position_, real.error());
            add(Value{Type::real, std::bit_cast<std::int64_t>(*real)});
            return Step::element;
        }
        case '#':
            if (line != "t" && line != "f") return fail(position_, "a boolean that is neither t nor f");
            add(Value{Type::boolean, line == "t" ? 1 : 0});
            return Step::element;
        case '(':
            if (!is_big_number(line)) return fail(position_, "a big number that is not digits after a sign");
            add_text(Type::big_number, position_ + 1, line.size());
            return Step::element;
        default:
            if (!line.empty()) return fail(position_, "a null with something in it");
            add(Value{Type::null});
            return Step::element;
    }
}

Reader::Step Reader::open_bulk(char type, std::string_view line) {
    if (line == "?") return fail(position_, "streamed strings and aggregates are not supported");
    if (line == "-1" && type == '$' && options_.input == Input::replies) {
        add(Value{Type::null});
        return Step::element;
    }
    const auto bytes = parse_length(line);
    if (!bytes) return fail(position_, bytes.error());
    if (*bytes > options_.bulk_bytes_max) return fail(position_, "a bulk string longer than bulk_bytes_max");
    const std::size_t header = position_ + 1 + line.size() + kLineEndBytes;
    const std::size_t left = options_.value_bytes_max - header;
    if (left < kLineEndBytes || *bytes > left - kLineEndBytes) {
        return fail(position_, "a value longer than value_bytes_max");
    }
    if (type == '=' && *bytes < kFormatBytes) return fail(position_, "a verbatim string without its format");
    bulk_ = Bulk{.type = type, .bytes = static_cast<std::size_t>(*bytes)};
    return Step::more;
}

Reader::Step Reader::read_bulk() {
    const auto [type, bytes] = *bulk_;
    if (buffer_.size() - position_ < bytes + kLineEndBytes) return Step::starved;
    const char* text = buffer_.data() + position_;
    if (text[bytes] != '\r' || text[bytes + 1] != '\n') return fail(position_ + bytes, kNoLineEnd);
    if (type == '=') {
        if (text[kFormatBytes - 1] != ':') return fail(position_, "a verbatim string without its format");
        add_text(Type::verbatim_string, position_ + kFormatBytes, bytes - kFormatBytes);
    } else {
        add_text(type == '$' ? Type::bulk_string : Type::bulk_error, position_, bytes);
    }
    bulk_.reset();
    position_ += bytes + kLineEndBytes;
    searched_ = position_;
    return Step::element;
}

Reader::Step Reader::open_aggregate(char type, std::string_view line) {
    if (line == "?") return fail(position_, "streamed strings and aggregates are not supported");
    if (line == "-1" && type == '*' && options_.input == Input::replies) {
        add(Value{Type::null});
        return Step::element;
    }
    const auto count = parse_length(line);
    if (!count) return fail(position_, count.error());
    if (type == '>' && !frames_.empty()) return fail(position_, "a push inside another value");
    if (frames_.size() >= options_.depth_max) return fail(position_, "values nested deeper than depth_max");
    const bool attribute = type == '|';
    const std::uint32_t each = attribute || type == '%' ? 2 : 1;
    if (*count > (options_.elements_max - elements_) / each) {
        return fail(position_, "a value of more elements than elements_max");
    }
    const auto elements = static_cast<std::uint32_t>(*count) * each;
    elements_ += elements;
    if (elements > 0) {
        frames_.push_back(
            {.elements_left = elements, .node = static_cast<std::uint32_t>(nodes_.size()), .attribute = attribute});
    }
    if (attribute) {
        attributes_ += elements > 0 ? 1 : 0;
        return Step::more;
    }
    add(Value{aggregate_type(type), elements});
    return elements > 0 ? Step::more : Step::element;
}

/// An element is complete, and with it every aggregate of which it is the last.
/// Returns: whether the whole value is.
bool Reader::close_aggregates() noexcept {
    while (!frames_.empty()) {
        if (--frames_.back().elements_left > 0) return false;
        const Frame frame = frames_.back();
        frames_.pop_back();
        if (frame.attribute) {
            // What it is about follows, and is the element.
            --attributes_;
            return false;
        }
        if (attributes_ == 0) nodes_[frame.node].extent_ = static_cast<std::uint32_t>(nodes_.size()) - frame.node;
    }
    return true;
}

void Reader::add(Value value) {
    if (attributes_ == 0) nodes_.push_back(std::move(value));
}

void Reader::add_text(Type type, std::size_t begin, std::size_t size) {
    if (attributes_ > 0) return;
    Value value{type, static_cast<std::int64_t>(begin)};
    value.text_ = {buffer_.data() + begin, size};
    nodes_.push_back(std::move(value));
}

/// Texts that were read before the bytes moved are where the bytes are now.
void Reader::mend_views() noexcept {
    for (Value& value : nodes_) {
        if (value.text_.data() != nullptr) value.text_ = {buffer_.data() + value.number_, value.text_.size()};
    }
}

Reader::Step Reader::fail(std::size_t at, std::string_view reason) noexcept {
    error_ = ProtocolError{.reason = reason, .offset = buffer_.consumed() + at};
    return Step::failed;
}

}  // namespace stint::inline v0::resp
