// A command to try against a server that has just started: a check that one of
// its rules answers.
#pragma once

#include <string>

#include "stint/limiter.hpp"

namespace stint::inline v0::cli {

/// Returns: a curl command line for a shell. Its attributes are made up from
/// the first rule for which that works out; nothing is consumed by trying.
[[nodiscard]] std::string example_curl(Limiter& limiter, const std::string& address);

}  // namespace stint::inline v0::cli
