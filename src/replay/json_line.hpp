// One JSON object a line, as nginx (`log_format … escape=json`), Caddy, Traefik
// and many others write. Which names are read for what: docs/replay.md, and the
// table in json_line.cpp. Tested by json_line_test.cpp and fuzz/access_log_fuzz.cpp.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "replay/access_record.hpp"
#include "replay/scratch.hpp"

namespace stint::inline v0::replay {

/// Threads: one at a time.
class JsonLineParser {
public:
    JsonLineParser();
    ~JsonLineParser();
    JsonLineParser(const JsonLineParser&) = delete;
    JsonLineParser& operator=(const JsonLineParser&) = delete;

    /// Returns: views into `scratch`; or the reason why the line does not count.
    [[nodiscard]] Result<AccessRecord, std::string_view> parse(std::string_view line, Scratch& scratch);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace stint::inline v0::replay
