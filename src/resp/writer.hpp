// Appends commands and replies to a string, byte by byte as RESP has them, with
// no string in between. What RESP2 has no type for is written as Redis writes
// it to clients of RESP2. Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "resp/value.hpp"

namespace stint::inline v0::resp {

enum class Version : std::uint8_t { resp2 = 2, resp3 = 3 };

struct VerbatimText {
    std::string_view format;  ///< three bytes, as `txt` or `mkd`
    std::string_view text;
};

class Writer {
public:
    /// `out` outlives the writer.
    explicit Writer(std::string& out, Version version = Version::resp2) noexcept : out_(out), version_(version) {}

    /// The version from now on, as HELLO chose it.
    void set_version(Version version) noexcept { version_ = version; }

    /// A command as a client sends it. Requires: not empty.
    void command(std::span<const std::string_view> arguments);
    void command(std::initializer_list<std::string_view> arguments) {
        command(std::span{arguments.begin(), arguments.size()});
    }

    /// In texts of one line, carriage returns and line feeds become spaces.
    void simple_string(std::string_view text);
    void error(std::string_view text);
    void bulk_string(std::string_view text);
    void bulk_error(std::string_view text);  ///< in RESP2 an error
    void integer(std::int64_t number);
    void null();               ///< in RESP2 the null bulk string
    void boolean(bool truth);  ///< in RESP2 the integer 1 or 0
    void real(double number);  ///< in RESP2 a bulk string; the shortest text that reads as the same number
    void big_number(std::string_view digits);  ///< in RESP2 a bulk string. Requires: digits after an optional sign
    void verbatim_string(const VerbatimText& verbatim);  ///< in RESP2 a bulk string

    /// Begins an aggregate; as many elements must follow.
    void array(std::size_t elements);
    void map(std::size_t pairs);      ///< key, value, key, value; in RESP2 an array of these
    void set(std::size_t elements);   ///< in RESP2 an array
    void push(std::size_t elements);  ///< in RESP2 an array

    /// A value with its elements, as it was read.
    void value(const Value& value);

private:
    void header(char type, std::size_t size);
    void line(char type, std::string_view text);
    void body(std::string_view text);

    std::string& out_;
    Version version_;
};

}  // namespace stint::inline v0::resp
