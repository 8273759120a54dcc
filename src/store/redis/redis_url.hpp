// What the program says of a store's URL; parse_redis_url itself is public, in
// stint/redis_store.hpp. Tested by redis_url_test.cpp. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "stint/redis_store.hpp"

namespace stint::inline v0::store::redis {

/// Returns: whether the text begins like a URL of parse_redis_url.
[[nodiscard]] bool is_redis_url(std::string_view text) noexcept;

/// Returns: a URL without passwords, for logs and messages.
[[nodiscard]] std::string url_without_secrets(const RedisOptions& options);

}  // namespace stint::inline v0::store::redis
