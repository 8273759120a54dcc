// The text that names the leases of one decision: `id~counter~rule`, with
// another `~counter~rule` for each further lease. The id is random, the counter
// a keyed digest, so nobody can name a lease that was not handed to him.
// Threads: values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stint/store.hpp"

namespace stint::engine {

struct LeaseToken {
    struct Held {
        Digest counter;
        std::string_view rule;
    };
    std::uint64_t id = 0;
    std::vector<Held> held;

    /// Returns: the token's text; empty if it holds nothing.
    [[nodiscard]] std::string to_string() const;
    /// Returns: nothing if the text is no token. The result refers to `text`.
    [[nodiscard]] static std::optional<LeaseToken> parse(std::string_view text);

    /// Returns: an id that cannot be guessed.
    [[nodiscard]] static std::uint64_t random_id();
};

}  // namespace stint::engine
