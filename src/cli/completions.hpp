// `stint completions`: scripts that let a shell complete stint's commands,
// options and the words and files that they take. Tested by
// completions_test.cpp, and in the shells by tests/integration/cli.
// Threads: pure functions.
#pragma once

#include <string>

#include "cli/command_tree.hpp"

namespace stint::inline v0::cli {

/// Returns: a script to source, or to lie as `stint` in bash-completion's folder. Requires: bash 4.
[[nodiscard]] std::string bash_completion(const CommandText& program);
/// Returns: a script to lie as `_stint` in a folder of $fpath.
[[nodiscard]] std::string zsh_completion(const CommandText& program);
/// Returns: a script to lie as `stint.fish` in a folder of completions. Requires: fish 3.
[[nodiscard]] std::string fish_completion(const CommandText& program);

}  // namespace stint::inline v0::cli
