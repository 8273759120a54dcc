// `stint replay`: an access log against the rules: who would have been limited.
// What every option and number means: docs/replay.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace stint::inline v0::cli {

struct ReplayOptions {
    std::string rules;              ///< a rule file, or a folder of them
    std::vector<std::string> logs;  ///< at least one; `-` is standard input; gzip is told by its first bytes
    std::string format = "auto";    ///< auto, combined, common or json
    std::string order = "time";     ///< time or file
    std::size_t top = 10;           ///< keys and clients listed for each rule
    bool json = false;              ///< one JSON object on `out` instead of the table
    std::string html;               ///< where the page goes; empty: none
    std::uint64_t max_memory = std::uint64_t{1} << 30;  ///< bytes for the states, at least 1 MiB
    std::optional<bool> progress;  ///< show progress on `err`; none: if standard error is a terminal
};

/// Reads the logs and writes the report to `out`; messages and warnings go to
/// `err`. Returns: the exit code: 0, or 2 if an option, the rules or a file is
/// unusable; then nothing is written to `out`.
int replay(const ReplayOptions& options, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace stint::inline v0::cli
