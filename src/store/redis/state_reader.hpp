// What a key's value in Redis says, for people: the other reader of the format
// that lua/state.lua and the algorithms' files there describe.
// Tested by state_reader_test.cpp. Threads: pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/ban.hpp"
#include "stint/limit.hpp"

namespace stint::inline v0::store::redis {

/// The state of one counter.
struct StateBlock {
    std::uint64_t id = 0;
    std::string_view body{};
};

/// Returns: the blocks of a value, which outlives them. Errors: it is not in this format.
[[nodiscard]] Result<std::vector<StateBlock>> read_blocks(std::string_view value);

/// Units that came together and leave together: of a window, a part of one, one moment, one lease.
struct HeldUnits {
    std::int64_t from = 0;   ///< us since the epoch; of a lease 0: that is not kept
    std::int64_t until = 0;  ///< the first instant at which they count no more
    std::uint64_t units = 0;
    std::uint64_t lease_id = 0;  ///< concurrency only

    friend bool operator==(const HeldUnits&, const HeldUnits&) = default;
};

struct LimitState {
    /// Units that count at that time; of a bucket the tokens that are missing, rounded up.
    std::uint64_t used = 0;
    std::int64_t as_new_at = 0;     ///< when the counter is as if never used; not after that time: it is
    std::vector<HeldUnits> held{};  ///< what makes up `used`, oldest first; a bucket keeps no such thing

    friend bool operator==(const LimitState&, const LimitState&) = default;
};

/// `now`: us since the epoch. Errors: the body is not one of this limit.
[[nodiscard]] Result<LimitState> read_limit_state(const Limit& limit, std::string_view body, std::int64_t now);
/// The value of a plain counter; `end`: when its key expires, us since the epoch.
[[nodiscard]] Result<LimitState> read_plain_counter(std::string_view value, std::int64_t end);
[[nodiscard]] Result<core::BanState> read_ban_state(std::string_view body);

}  // namespace stint::inline v0::store::redis
