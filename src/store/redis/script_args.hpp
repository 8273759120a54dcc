// What the scripts are told and what they answer, in bytes; the other half of
// lua/*.lua, whose head comments describe every field. All numbers are
// little-endian. Tested through Redis by redis_store_test.cpp.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stint/store.hpp"

namespace stint::inline v0::store::redis {

/// Whether a script may change anything, as lua/state.lua has it.
enum class Mode : std::uint8_t {
    look = 0,
    take = 1,
    deny = 2,  ///< lua/together.lua: the check is denied elsewhere; count that where denials are counted
};

enum class Change : std::uint8_t { refund = 1, release = 2, renew = 3, reset = 4 };

/// What a limit answers instead of a count of grants.
inline constexpr std::uint32_t kAskAgain = 0xffffffff;  ///< the server's time lies outside the calendar windows told
inline constexpr std::uint32_t kFailed = 0xfffffffe;    ///< the key holds what is not ours
inline constexpr std::uint32_t kGrantsMax = 0xffff;     ///< checks asked for at once

inline constexpr std::size_t kAsksMax = 0xffff;  ///< of one check

inline constexpr std::size_t kTimeBytes = 7;
inline constexpr std::size_t kAskBytes = 8;      ///< what precedes an ask's limits in lua/together.lua
inline constexpr std::size_t kAnswerBytes = 32;  ///< of a limit

/// An unsigned number in so many bytes.
void append_number(std::string& out, std::uint64_t number, std::size_t width);
[[nodiscard]] std::uint64_t read_number(std::string_view bytes, std::size_t at, std::size_t width) noexcept;

/// `now`: the caller's clock, around which calendar windows are told.
struct LimitArgs {
    std::uint64_t cost = 1;
    std::uint64_t lease_id = 0;
    std::int64_t now = 0;
};
void append_limit(const Limit& limit, const LimitArgs& args, std::string& out);

/// For lua/single.lua. Requires: one limit, no ban. The count of checks is 1.
void append_single(const Check& check, std::int64_t now, std::string& out);
/// Where the count of checks stands in what append_single made, and its width.
inline constexpr std::size_t kCountAt = 15;
inline constexpr std::size_t kCountBytes = 4;
/// For lua/together.lua.
void append_together(const Check& check, std::int64_t now, std::string& out);
/// For lua/change.lua. Requires: Change::refund.
void append_refund(const Limit& limit, const Answer& answer, std::string& out);
/// For lua/change.lua: the end or the renewal of a lease.
void append_lease_change(std::uint64_t counter_id, Change change, std::uint64_t lease_id, std::string& out);

/// One limit's answer.
struct LimitAnswer {
    std::uint32_t granted = 0;
    std::uint64_t used = 0;   // after what was consumed; a bucket's debt in whole us
    std::uint64_t reset = 0;  // us; a bucket's rest of the debt
    std::uint64_t moment = 0;
    std::uint64_t retry = 0;  // us, as if the cost could pass
};
/// Requires: kAnswerBytes from `at` on.
[[nodiscard]] LimitAnswer read_answer(std::string_view bytes, std::size_t at) noexcept;

/// How an answer to several checks of one kind is read for one of them.
struct Reading {
    std::int64_t now = 0;  ///< of the script call
    std::uint64_t cost = 1;
    std::uint32_t index = 0;      ///< of the check, from 0: the first ones were granted
    bool took = false;            ///< grants were consumed
    bool charged_denied = false;  ///< consumed although the check as a whole was denied
};
/// Fills all of `out` but its counter.
void fill_answer(const Limit& limit, const LimitAnswer& answer, const Reading& reading, Answer& out) noexcept;

}  // namespace stint::inline v0::store::redis
