// Any bytes as an access log: nothing crashes, what is read refers to the line
// or to the scratch space and to nothing else, and what is shown is harmless.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "replay/access_record.hpp"
#include "replay/escape.hpp"
#include "replay/line_parser.hpp"
#include "replay/line_reader.hpp"

namespace {

using namespace stint::replay;

void require(bool condition) {
    if (!condition) std::abort();
}

bool inside(std::string_view part, std::string_view whole) {
    const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
    const auto from = reinterpret_cast<std::uintptr_t>(whole.data());
    return begin >= from && begin + part.size() <= from + whole.size();
}

void check_line(LineParser& parser, std::string_view line) {
    const auto record = parser.parse(line);
    if (!record) {
        require(!record.error().empty());
        return;
    }
    require(record->has(Field::ip) && !record->get(Field::ip).empty());
    for (std::size_t i = 0; i < kFieldCount; ++i) {
        const std::string_view value = record->get(static_cast<Field>(i));
        // "/" for an absolute URI without a path, and an empty value, are constants.
        if (value.empty() || value == "/") continue;
        require(inside(value, line) || inside(value, parser.scratch()));
    }
    // A query is never part of a path, and there is none without the other.
    require(record->get(Field::path).find('?') == std::string_view::npos);
    require(!record->has(Field::protocol) || !record->get(Field::protocol).empty());
}

void check_escapes(std::string_view bytes) {
    const std::string shown = printable(bytes, bytes.size());
    require(is_utf8(shown));
    for (const char c : shown) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
    require(html_escape(shown).find_first_of("<>\"'") == std::string::npos);
}

void check_file(const std::string& bytes) {
    std::istringstream in{bytes};
    LineReader reader{in, 64};
    LineReader::Line line;
    for (;;) {
        const auto found = reader.next(line);
        if (!found || !*found) break;
        require(line.text.size() <= 64 && line.text.find('\n') == std::string_view::npos);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes{reinterpret_cast<const char*>(data), size};
    // Made once: a parser must not remember anything of an earlier line.
    static std::array<LineParser, 4> parsers{LineParser{Format::automatic}, LineParser{Format::combined},
                                             LineParser{Format::common}, LineParser{Format::json}};
    for (LineParser& parser : parsers) {
        std::string_view rest = bytes;
        while (!rest.empty()) {
            const std::size_t end = rest.find('\n');
            check_line(parser, rest.substr(0, end));
            rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
        }
    }
    check_escapes(bytes);
    check_file(bytes);
    return 0;
}
