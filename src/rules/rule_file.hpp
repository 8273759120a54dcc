// The bytes of rule files: which files a folder holds, what they contain, and
// whether that is text at all. Threads: pure functions.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stint/error.hpp"

namespace stint::inline v0::rules {

/// Returns: the path itself, or of a folder its `*.yaml` and `*.yml` in byte
/// order, without names that begin with a dot (so that a Kubernetes volume,
/// with its `..data`, is read once). Errors: nothing there, or no such file.
[[nodiscard]] Result<std::vector<std::filesystem::path>, Problem> list_rule_files(const std::filesystem::path& path);

/// Returns: the contents. Errors: unreadable, a folder, or too large.
[[nodiscard]] Result<std::string, Problem> read_rule_file(const std::filesystem::path& file);

/// Returns: nothing, or where the text holds bytes that YAML does not allow:
/// what is no UTF-8, and control characters (at some of which yaml-cpp would
/// silently stop reading).
[[nodiscard]] Result<void, Problem> check_text(std::string_view text, const std::string& file);

}  // namespace stint::inline v0::rules
