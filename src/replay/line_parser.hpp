// One line of an access log, of whatever format, to one record.
// Tested by line_parser_test.cpp and fuzz/access_log_fuzz.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "replay/access_record.hpp"
#include "replay/scratch.hpp"

namespace stint::inline v0::replay {

enum class Format { automatic, combined, common, json };

/// Reads `auto`, `combined`, `common` or `json`.
[[nodiscard]] std::optional<Format> format_named(std::string_view name) noexcept;

/// Threads: one at a time.
class LineParser {
public:
    explicit LineParser(Format format);
    ~LineParser();

    /// Reads a line without its end. `automatic` takes a line whose first byte
    /// that is no space is `{` as JSON, any other as combined.
    /// Returns: a record that lives until the next call, as long as `line`
    /// does; or the reason why the line does not count.
    [[nodiscard]] Result<AccessRecord, std::string_view> parse(std::string_view line);

    /// What the last record may refer to besides its line.
    [[nodiscard]] std::string_view scratch() const noexcept { return scratch_.all(); }

private:
    class Json;

    Format format_;
    Scratch scratch_;
    std::unique_ptr<Json> json_;
};

}  // namespace stint::inline v0::replay
