// What the first line of an HTTP request says: method, path, query, host and
// protocol. Tested by request_line_test.cpp. Threads: pure functions.
#pragma once

#include <string_view>

#include "replay/access_record.hpp"

namespace stint::inline v0::replay {

/// Reads `METHOD target` or `METHOD target HTTP/x`, with single spaces and any
/// token (RFC 9110, 5.6.2) as method, and sets method, path, query, host and
/// protocol as far as they are there; leaves all of them absent if the text is
/// anything else, such as `-` or the first bytes of a TLS handshake.
void set_request(std::string_view text, AccessRecord& record) noexcept;

/// Sets path, query (what follows the first `?`; absent without one) and host:
/// - `/a?b`, `*` and anything else: the path as it is written, up to the `?`;
/// - `scheme://authority/a?b`: the host too, and `/` if the path is empty;
/// - for CONNECT `host:port`: the host alone, for there is no path.
void set_target(std::string_view method, std::string_view target, AccessRecord& record) noexcept;

/// Returns: the host of `user@host:port`, as written, a `[…]` literal in its
/// brackets; may be empty.
[[nodiscard]] std::string_view host_of_authority(std::string_view authority) noexcept;

}  // namespace stint::inline v0::replay
