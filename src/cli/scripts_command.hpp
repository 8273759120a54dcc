// `stint scripts`: the Lua scripts that run on a server, for those who let one
// user load them and another call them.
// Threads: one at a time.
#pragma once

#include <iosfwd>
#include <string>

namespace stint::inline v0::cli {

struct ScriptsCommand {
    std::string store = "memory://";  ///< a URL of parse_redis_url is needed, to load
    std::string name{};               ///< of a script to print; empty: all names
};

/// Loads them on all servers of the store. Returns: the exit code: 0, or 2 if they are not on all of them.
[[nodiscard]] int load_scripts(const ScriptsCommand& command, std::ostream& out, std::ostream& err);

/// Prints one script, byte for byte, or the SHA-1 and the name of each. Returns: 0, or 2 if there is none of that name.
[[nodiscard]] int print_scripts(const ScriptsCommand& command, std::ostream& out, std::ostream& err);

}  // namespace stint::inline v0::cli
