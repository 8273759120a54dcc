// `stint serve`: the server, from its start to its last connection.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "server/http/http_options.hpp"

namespace stint::inline v0::cli {

struct ServeCommand {
    std::string rules;  ///< a file or a folder
    std::string http = "127.0.0.1:8080";
    std::string store = "memory://";  ///< or a URL of parse_redis_url
    std::size_t instances = 1;        ///< that share the store: LimiterOptions::instances
    std::size_t threads = 0;          ///< 0: one for each core
    std::size_t max_memory = std::size_t{256} << 20;
    std::chrono::milliseconds drain_timeout{10'000};
    http::HttpOptions bounds;
};

/// Serves until SIGTERM or SIGINT. Prints the ready line and a command to try
/// to `out`, complaints about the start to `err`; what happens later is logged
/// to stderr. Returns: the exit code: 0 after a drain, 1 if the address or the
/// memory cannot be had, 2 if the rules or the options cannot be used.
[[nodiscard]] int serve(const ServeCommand& command, std::ostream& out, std::ostream& err);

}  // namespace stint::inline v0::cli
