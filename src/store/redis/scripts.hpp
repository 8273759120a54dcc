// The Lua scripts, each put together from the files in lua/: one for checks of
// a single limit of each algorithm, one for all other checks, one for refunds
// and leases. Threads: constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "stint/limit.hpp"

namespace stint::inline v0::store::redis {

/// The first ones are those of single limits: in the order of Algorithm, and the plain counter.
enum class ScriptId : std::uint8_t {
    fixed_window,
    sliding_window,
    sliding_log,
    token_bucket,
    concurrency,
    plain_counter,
    together,
    change
};
/// The kinds of counters that scripts know: those of Algorithm, and the plain counter.
inline constexpr std::size_t kCounterKinds = 6;
inline constexpr std::size_t kScripts = 8;

/// `plain`: the limit is counted by a plain counter.
[[nodiscard]] constexpr ScriptId script_of(Algorithm algorithm, bool plain) noexcept {
    return plain ? ScriptId::plain_counter : static_cast<ScriptId>(algorithm);
}
[[nodiscard]] constexpr bool is_single(ScriptId script) noexcept {
    return script < ScriptId::together;
}

[[nodiscard]] const char* to_string(ScriptId script) noexcept;
/// Returns: the text to load.
[[nodiscard]] const std::string& script_text(ScriptId script);
/// Returns: the name by which it is called, SHA-1 in hexadecimal digits.
[[nodiscard]] const std::string& script_sha(ScriptId script);

}  // namespace stint::inline v0::store::redis
