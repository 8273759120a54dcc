// The manual page of stint, in the language of man(7). Tested by
// man_page_test.cpp and tests/integration/cli. Threads: pure functions.
#pragma once

#include <string>

#include "cli/command_tree.hpp"

namespace stint::inline v0::cli {

/// Returns: the page stint(1), with all commands and options.
[[nodiscard]] std::string man_page(const CommandText& program, const std::string& version);

}  // namespace stint::inline v0::cli
