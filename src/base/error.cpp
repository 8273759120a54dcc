#include "stint/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace stint::inline v0 {
namespace {

std::string join_lines(const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& problem : problems) {
        if (!text.empty()) text += '\n';
        text += problem.to_string();
    }
    return text;
}

}  // namespace

std::string Problem::to_string() const {
    if (file.empty() && line == 0) return reason;
    if (line == 0) return fmt::format("{}: {}", file, reason);
    return fmt::format("{}:{}:{}: {}", file, line, column, reason);
}

ConfigError::ConfigError(std::vector<Problem> problems)
    : std::runtime_error(join_lines(problems)), problems_(std::move(problems)) {}

}  // namespace stint::inline v0
