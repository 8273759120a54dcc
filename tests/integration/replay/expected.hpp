// The answers of tests/data/logs/expected.jsonl, read for the tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stint::inline v0::replay {

struct Expected {
    std::string log;    ///< path
    std::string order;  ///< time or file
    std::string rule;   ///< the name of the rule and of its file
    std::uint64_t checked = 0;
    std::uint64_t allowed = 0;
    std::uint64_t denied = 0;
    std::uint64_t denied_clients = 0;
    std::string top_client;  ///< empty: nobody was denied
    std::uint64_t top_denied = 0;
};

/// Returns: every answer; those of a log that is in order stand there for both
/// orders. Errors: throws std::runtime_error.
[[nodiscard]] std::vector<Expected> read_expected();

/// The folder of the logs, and of their rule files.
[[nodiscard]] std::string logs_folder();

}  // namespace stint::inline v0::replay
