// The bounds of the HTTP server, each with its default. docs/http.md explains
// them; `stint serve --help` names the options that set them.
#pragma once

#include <chrono>
#include <cstddef>

namespace stint::inline v0::http {

struct HttpOptions {
    std::size_t body_bytes_max = std::size_t{64} << 10;
    std::size_t header_bytes_max = std::size_t{8} << 10;
    std::size_t attributes_max = 64;                    ///< in one request
    std::size_t pipelined_max = 128;                    ///< requests decided before their replies are written
    std::size_t connections_max = 10'000;               ///< over all threads; one more gets 503
    std::chrono::milliseconds idle_timeout{60'000};     ///< between two requests
    std::chrono::milliseconds request_timeout{10'000};  ///< first to last byte; also for writing the reply
    bool x_rate_limit = false;                          ///< also send X-RateLimit-* fields
};

}  // namespace stint::inline v0::http
