// Ban: after so many denials within a time, counted from the first of them, a
// key is denied outright for a time.
//
// Worked example, 50 denials within 10 min, for 24 h: denials at 0 s … 49 s
// start a ban that ends 24 h after the fiftieth.
#pragma once

#include "core/outcome.hpp"
#include "stint/store.hpp"

namespace stint::inline v0::core {

struct BanState {
    std::int64_t end = 0;     // of the ban, or of the window in which denials are counted
    std::uint64_t count = 0;  // denials so far
    bool banned = false;
};

/// Returns: how long a check at `now` is still banned; 0: it is not.
[[nodiscard]] inline std::int64_t banned_for(const Ban& ban, const BanState& state, std::int64_t now) noexcept {
    if (!state.banned || now >= state.end) return 0;
    // A clock that stepped back does not make the ban longer.
    return std::min(state.end - now, ban.duration.count());
}

/// Returns: the state after one more denial at `now`. Requires: not banned at `now`.
[[nodiscard]] inline BanState after_denial(const Ban& ban, const BanState& state, std::int64_t now) noexcept {
    const std::int64_t within = ban.within.count();
    const bool counting = !state.banned && state.count > 0 && now < state.end;
    const std::int64_t t = counting ? std::max(now, state.end - within) : now;
    const std::uint64_t count = (counting ? state.count : 0) + 1;
    if (count >= ban.denials) return {t + ban.duration.count(), 0, true};
    return {counting ? state.end : t + within, count, false};
}

}  // namespace stint::inline v0::core
