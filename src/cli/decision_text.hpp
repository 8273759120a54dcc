// Decisions in words, for people. Threads: pure functions.
#pragma once

#include <string>

#include "stint/decision.hpp"

namespace stint::inline v0::cli {

/// Returns: whole seconds rounded up, such as `1h 17m 45s`; below a second as it is.
[[nodiscard]] std::string wait_text(Duration wait);

/// Returns: a line for the decision, and one for each limit that took part.
[[nodiscard]] std::string describe(const Decision& decision);

}  // namespace stint::inline v0::cli
