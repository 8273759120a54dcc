// One value of RESP2 or RESP3 as a reader has it: a node in the reader's flat
// list, followed by the nodes of its elements, so that a value of any shape
// needs no allocation of its own. What it gives are views into the reader's
// buffer. Threads: as its reader.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/assert.hpp"

namespace stint::inline v0::resp {

enum class Type : std::uint8_t {
    simple_string,
    error,
    integer,
    bulk_string,
    array,
    null,  ///< RESP3's, and the null bulk string and null array of RESP2
    boolean,
    real,
    big_number,
    bulk_error,
    verbatim_string,
    map,
    set,
    push,  ///< sent unasked, in no answer to a command; always a whole value
};

class Value {
public:
    class Iterator;

    // A copy would be parted from its elements; moving is for the reader's list.
    Value(const Value&) = delete;
    Value& operator=(const Value&) = delete;
    Value(Value&&) = default;
    Value& operator=(Value&&) = default;
    ~Value() = default;

    [[nodiscard]] Type type() const noexcept { return type_; }
    /// Returns: whether the server refuses something, in either form.
    [[nodiscard]] bool is_error() const noexcept { return type_ == Type::error || type_ == Type::bulk_error; }
    /// Returns: the bytes of a string, an error or a big number; of others, nothing.
    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    /// Returns: the three bytes that name a verbatim string's format, as `txt`. Requires: it is one.
    [[nodiscard]] std::string_view format() const noexcept;
    /// Requires: an integer.
    [[nodiscard]] std::int64_t integer() const noexcept;
    /// Requires: a boolean.
    [[nodiscard]] bool boolean() const noexcept;
    /// Returns: the number, an infinity or NaN. Requires: a real.
    [[nodiscard]] double real() const noexcept;

    /// Returns: how many elements an array, set, push or map has, a map's keys
    /// and values counted apart; 0 for others.
    [[nodiscard]] std::size_t size() const noexcept;
    /// The elements in their order; a map's as key, value, key, value.
    /// Cost: a step passes over an element of any size at once.
    [[nodiscard]] Iterator begin() const noexcept;
    [[nodiscard]] Iterator end() const noexcept;

private:
    friend class Reader;

    explicit Value(Type type, std::int64_t number = 0) noexcept : number_(number), type_(type) {}

    std::string_view text_;
    std::int64_t number_;       // the number, the bits of a real, the elements; of a text its place in the value
    std::uint32_t extent_ = 1;  // nodes from this one to the end of its last element
    Type type_;
};

class Value::Iterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = const Value*;
    using reference = const Value&;

    Iterator() = default;
    explicit Iterator(const Value* value) noexcept : value_(value) {}

    reference operator*() const noexcept { return *value_; }
    pointer operator->() const noexcept { return value_; }
    Iterator& operator++() noexcept {
        value_ += value_->extent_;
        return *this;
    }
    Iterator operator++(int) noexcept {
        const Iterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

private:
    const Value* value_ = nullptr;
};

inline std::string_view Value::format() const noexcept {
    STINT_DASSERT(type_ == Type::verbatim_string);
    return {text_.data() - 4, 3};
}

inline std::int64_t Value::integer() const noexcept {
    STINT_DASSERT(type_ == Type::integer);
    return number_;
}

inline bool Value::boolean() const noexcept {
    STINT_DASSERT(type_ == Type::boolean);
    return number_ != 0;
}

inline double Value::real() const noexcept {
    STINT_DASSERT(type_ == Type::real);
    return std::bit_cast<double>(number_);
}

inline std::size_t Value::size() const noexcept {
    const bool aggregate = type_ == Type::array || type_ == Type::map || type_ == Type::set || type_ == Type::push;
    return aggregate ? static_cast<std::size_t>(number_) : 0;
}

inline Value::Iterator Value::begin() const noexcept {
    return Iterator{this + 1};
}

inline Value::Iterator Value::end() const noexcept {
    return Iterator{this + extent_};
}

}  // namespace stint::inline v0::resp
