// `stint inspect` and `stint reset`: one key of one rule, on a server.
// Threads: one at a time.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace stint::inline v0::cli {

struct KeyCommand {
    std::string store = "memory://";  ///< a URL of parse_redis_url is needed
    std::string rules;                ///< a file or a folder
    std::string rule;
    std::vector<std::string> key;  ///< each `name=value`
    bool json = false;
};

/// Says what the server holds of the key, and what a check would be told; changes nothing.
/// Returns: the exit code: 0, or 2 if rules, key or store cannot be used.
[[nodiscard]] int inspect(const KeyCommand& command, std::ostream& out, std::ostream& err);

/// Makes the key as if never used and lifts its ban. Returns: as inspect.
[[nodiscard]] int reset(const KeyCommand& command, std::ostream& out, std::ostream& err);

}  // namespace stint::inline v0::cli
