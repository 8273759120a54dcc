// `stint check`: one decision by a rule file, on counters that begin empty.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace stint::cli {

struct CheckCommand {
    std::string rules;
    std::vector<std::string> attributes;  ///< each `name=value`
    std::uint64_t cost = 1;
    bool json = false;
};

/// Returns: the exit code: 0 allowed, 1 denied, 2 if rules or attributes cannot be used.
[[nodiscard]] int check(const CheckCommand& command, std::ostream& out, std::ostream& err);

}  // namespace stint::cli
