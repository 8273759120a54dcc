// What a server holds of one key of one rule, as `stint inspect` tells it.
// Tested by tests/integration/cli/store_test.py. Threads: values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stint/decision.hpp"
#include "stint/store.hpp"
#include "store/redis/state_reader.hpp"

namespace stint::inline v0::cli {

struct CounterReport {
    Limit limit;
    store::redis::LimitState state;
};

struct KeyReport {
    std::string name;
    std::int64_t now = 0;                      ///< us since the epoch, of the server
    std::optional<std::size_t> bytes{};        ///< of the value; none: there is no such key
    std::optional<std::int64_t> expires_ms{};  ///< from now; none: never, or there is no such key
    std::vector<CounterReport> counters{};     ///< one for each limit of the rule
    std::optional<core::BanState> ban{};       ///< none: the rule bans nobody
    std::size_t others = 0;  ///< counters in the value that the rule knows nothing of: of a limit that it had
};

/// Takes a value apart. `ask`: rule and key, with the counters and the ban. Errors: the value is not stint's.
[[nodiscard]] Result<void> read_value(const Ask& ask, std::string_view value, KeyReport& report);

/// For people; `peek` is what a check would be told now.
[[nodiscard]] std::string report_text(const KeyReport& report, const Decision& peek);
/// One JSON object.
[[nodiscard]] std::string report_json(const KeyReport& report, const Decision& peek);

}  // namespace stint::inline v0::cli
