// The text that names the leases of one decision: `id~counter`, with another
// `~counter` for each further lease, all in hexadecimal, and where a store keeps
// counters under keys, `.key` after a counter. The id is random, so nobody can
// name a lease that was not handed to him.
// Threads: values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stint/store.hpp"

namespace stint::inline v0::engine {

struct LeaseToken {
    std::uint64_t id = 0;
    std::vector<CounterRef> counters;

    /// Returns: the token's text; empty if it names none.
    [[nodiscard]] std::string to_string() const;
    /// Returns: nothing if the text is no token.
    [[nodiscard]] static std::optional<LeaseToken> parse(std::string_view text);

    /// Returns: an id that cannot be guessed.
    [[nodiscard]] static std::uint64_t random_id();
};

}  // namespace stint::inline v0::engine
