// What stint throws, and it throws only while something is being set up: a
// limit, a rule set, a store. A check never throws; a denial is a value.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// One thing that is wrong in a configuration.
struct Problem {
    std::string file;        ///< empty if the configuration was made in code
    std::size_t line = 0;    ///< from 1; 0 if unknown
    std::size_t column = 0;  ///< from 1; 0 if unknown
    std::string reason;      ///< names what is wrong and what would be right

    /// Returns: `file:line:column: reason`, without the parts that are unknown.
    [[nodiscard]] std::string to_string() const;

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// A configuration that cannot be used. what() lists every problem, one a line.
class ConfigError : public std::runtime_error {
public:
    explicit ConfigError(std::vector<Problem> problems);

    /// Returns: all problems, in the order of their files and lines. Never empty.
    [[nodiscard]] const std::vector<Problem>& problems() const noexcept { return problems_; }

private:
    std::vector<Problem> problems_;
};

}  // namespace stint::inline v0
#pragma GCC visibility pop
