#include "replay/line_parser.hpp"

#include "replay/clf_line.hpp"
#include "replay/json_line.hpp"

namespace stint::inline v0::replay {

class LineParser::Json : public JsonLineParser {};

std::optional<Format> format_named(std::string_view name) noexcept {
    if (name == "auto") return Format::automatic;
    if (name == "combined") return Format::combined;
    if (name == "common") return Format::common;
    if (name == "json") return Format::json;
    return std::nullopt;
}

LineParser::LineParser(Format format) : format_(format), json_(std::make_unique<Json>()) {}
LineParser::~LineParser() = default;

Result<AccessRecord, std::string_view> LineParser::parse(std::string_view line) {
    Format format = format_;
    if (format == Format::automatic) {
        const std::size_t first = line.find_first_not_of(" \t");
        const bool is_object = first != std::string_view::npos && line[first] == '{';
        format = is_object ? Format::json : Format::combined;
    }
    if (format == Format::json) return json_->parse(line, scratch_);
    return parse_clf_line(line, format == Format::combined, scratch_);
}

}  // namespace stint::inline v0::replay
