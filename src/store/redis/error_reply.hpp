// What a server's error reply means for the checks that it answers: whether
// they were certainly not counted, so that they may be asked anew, where, and
// whether the connection is of any more use.
// Tested by error_reply_test.cpp. Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stint/store.hpp"
#include "store/redis/endpoint.hpp"

namespace stint::inline v0::store::redis {

/// What becomes of the jobs. All but `fail` follow only on replies that prove that nothing was done.
enum class Remedy : std::uint8_t {
    fail,          ///< end them with the error
    load_scripts,  ///< the scripts are gone: load them, ask anew
    reconnect,     ///< the server is no primary any more: ask another
    moved,         ///< another node has the slot now
    ask,           ///< another node is being given the slot: ask there this once
    try_again,     ///< the slot's keys lie on two nodes just now
};

struct ErrorMeaning {
    Remedy remedy = Remedy::fail;
    StoreError error = StoreError::refused;
    bool leave = false;  ///< the server cannot serve: take a new connection, after a while
};
[[nodiscard]] ErrorMeaning meaning_of(std::string_view error);

/// Returns: an error as it may be shown: without the arguments, perhaps a password, that a server repeats which does
/// not know the command.
[[nodiscard]] std::string shown(std::string_view error);
/// Returns: the first word of an error, as `OOM`; of one that old servers wrap
/// when a script meets it, the word inside.
[[nodiscard]] std::string_view code_of(std::string_view error);

/// Where MOVED or ASK point to.
struct Redirect {
    std::uint16_t slot = 0;
    Endpoint to{};  ///< host empty: the host that answered
};
/// Returns: none if the error is not of the form `MOVED 866 127.0.0.1:7001`.
[[nodiscard]] std::optional<Redirect> read_redirect(std::string_view error);

}  // namespace stint::inline v0::store::redis
