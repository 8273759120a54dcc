// Attributes as words of the command line. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::cli {

/// Reads words such as `name=value`; the attributes refer to them.
/// Errors: a word is none, or a name is given twice.
[[nodiscard]] Result<std::vector<Attribute>> parse_attributes(const std::vector<std::string>& texts);

}  // namespace stint::inline v0::cli
