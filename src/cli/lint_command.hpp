// `stint lint`: are these rule files valid, and do they say what was meant?
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace stint::inline v0::cli {

struct LintOptions {
    std::vector<std::string> files;  ///< rule files or folders; each is judged on its own
    bool strict = false;             ///< warnings fail too
};

/// Writes problems as `file:line:column: error: reason` to `err`, warnings
/// likewise to `out`, and one line for each file that is valid.
/// Returns: 0 valid, 1 valid with warnings (if strict), 2 not valid.
int lint(const LintOptions& options, std::ostream& out, std::ostream& err);

}  // namespace stint::inline v0::cli
