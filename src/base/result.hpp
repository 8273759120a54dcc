// Expected failures inside stint: a value or a message. Public functions turn
// a failure into what their users expect (ConfigError, an HTTP 400, …).
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace stint::inline v0 {

template <typename T, typename E = std::string>
using Result = tl::expected<T, E>;

/// Returns: a failure with this reason.
inline tl::unexpected<std::string> failure(std::string reason) {
    return tl::unexpected<std::string>{std::move(reason)};
}

}  // namespace stint::inline v0
