// A decision as HTTP header fields: RateLimit and RateLimit-Policy as the IETF
// draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers,
// structured fields since -08), Retry-After (RFC 9110, 10.2.3), and on demand
// the older X-RateLimit-* fields.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stint/decision.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

struct HttpHeaderOptions {
    bool rate_limit = true;     ///< RateLimit and RateLimit-Policy
    bool x_rate_limit = false;  ///< X-RateLimit-Limit, -Remaining, -Reset (seconds from now)
};

/// Returns: the fields for the deciding limit, all seconds rounded up; none if
/// no enforced rule applies. Retry-After stands only on a denial that a wait
/// can cure, and is at least 1.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> http_headers(const Decision& decision,
                                                                            HttpHeaderOptions options = {});

}  // namespace stint::inline v0
#pragma GCC visibility pop
