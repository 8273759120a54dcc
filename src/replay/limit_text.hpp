// A limit in words, for people. Tested by limit_text_test.cpp. Threads: pure.
#pragma once

#include <string>

#include "stint/limit.hpp"

namespace stint::inline v0::replay {

/// Returns: such as `fixed_window 60 per 1m, anchor clock`, `token_bucket 1 per
/// 1s, capacity 20`, `fixed_window 200 per calendar day`: what differs
/// from the defaults is named.
[[nodiscard]] std::string limit_text(const Limit& limit);

}  // namespace stint::inline v0::replay
