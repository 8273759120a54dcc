// `stint check`: one decision by a rule file, on counters that begin empty or are a server's.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace stint::inline v0::cli {

struct CheckCommand {
    std::string rules;
    std::string store = "memory://";      ///< or a URL of parse_redis_url
    std::vector<std::string> attributes;  ///< each `name=value`
    std::uint64_t cost = 1;
    bool json = false;
};

/// Returns: the exit code: 0 allowed, 1 denied, 2 if rules, attributes or store cannot be used.
[[nodiscard]] int check(const CheckCommand& command, std::ostream& out, std::ostream& err);

}  // namespace stint::inline v0::cli
