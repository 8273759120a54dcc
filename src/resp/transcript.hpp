// For tests and fuzzers: what a reader makes of bytes that arrive in pieces, as
// text that can be compared. Threads: none of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resp/reader.hpp"

namespace stint::inline v0::resp {

inline std::string in_quotes(std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string out = "'";
    for (const char byte : text) {
        const auto code = static_cast<unsigned char>(byte);
        if (byte >= ' ' && byte <= '~' && byte != '\\' && byte != '\'') {
            out += byte;
        } else {
            out += {'\\', 'x', kHex[code >> 4], kHex[code & 15]};
        }
    }
    return out + "'";
}

inline std::string elements(const Value& value);

/// Returns: `int 1`, `bulk 'a'`, `array [int 1, null]`, …
inline std::string describe(const Value& value) {
    switch (value.type()) {
        case Type::simple_string:
            return "simple " + in_quotes(value.text());
        case Type::error:
            return "error " + in_quotes(value.text());
        case Type::integer:
            return "int " + std::to_string(value.integer());
        case Type::bulk_string:
            return "bulk " + in_quotes(value.text());
        case Type::null:
            return "null";
        case Type::boolean:
            return value.boolean() ? "true" : "false";
        case Type::real:
            return "real " + std::to_string(value.real());
        case Type::big_number:
            return "big " + in_quotes(value.text());
        case Type::bulk_error:
            return "bulk error " + in_quotes(value.text());
        case Type::verbatim_string:
            return "verbatim " + in_quotes(value.format()) + " " + in_quotes(value.text());
        case Type::array:
            return "array" + elements(value);
        case Type::map:
            return "map" + elements(value);
        case Type::set:
            return "set" + elements(value);
        case Type::push:
            return "push" + elements(value);
    }
    return "?";
}

inline std::string elements(const Value& value) {
    std::string out;
    std::size_t count = 0;
    for (const Value& element : value) {
        out += (count++ == 0 ? "" : ", ") + describe(element);
    }
    return count == value.size() ? " [" + out + "]" : " of another size";
}

struct Transcript {
    std::vector<std::string> values;
    std::optional<ProtocolError> error;
    bool under_way = false;

    friend bool operator==(const Transcript&, const Transcript&) = default;
};

/// Gives `piece` to the reader and notes all that it has then.
inline void feed(Reader& reader, std::string_view piece, Transcript& transcript) {
    std::copy(piece.begin(), piece.end(), reader.prepare(piece.size()).begin());
    reader.commit(piece.size());
    for (;;) {
        const auto value = reader.next();
        transcript.error = value ? std::nullopt : std::optional{value.error()};
        if (!value || *value == nullptr) break;
        transcript.values.push_back(describe(**value));
    }
    transcript.under_way = !transcript.error && reader.under_way();
}

/// Returns: what is read of `bytes` in pieces of this size, the first of `first` bytes.
inline Transcript read(std::string_view bytes, const ReaderOptions& options = {},
                       std::size_t first = std::string_view::npos, std::size_t piece = std::string_view::npos) {
    Reader reader{options};
    Transcript transcript;
    feed(reader, bytes.substr(0, first), transcript);
    bytes.remove_prefix(std::min(first, bytes.size()));
    while (!bytes.empty()) {
        feed(reader, bytes.substr(0, piece), transcript);
        bytes.remove_prefix(std::min(piece, bytes.size()));
    }
    return transcript;
}

}  // namespace stint::inline v0::resp
