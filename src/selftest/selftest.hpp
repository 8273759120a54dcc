// The command `stint selftest`: plays conformance vectors, the built-in ones
// or a file's, to a store of the user's choice, and says what differs.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

namespace stint::inline v0::selftest {

struct SelftestOptions {
    std::optional<std::string> vectors{};  ///< a file in the vectors' format; none: those built in
    std::string store = "memory://";       ///< or a URL of parse_redis_url
};

/// On a server the keys have a random prefix and are deleted afterwards; should
/// that fail, they expire after an hour or more.
/// Prints each mismatch (vector, step from 1, field, expected, got) and the
/// line `V vectors, S steps, M mismatches` to `out`, complaints to `err`.
/// Returns: the exit code: 0 if nothing differs, 1 if something does, 2 if the
/// file or the store cannot be used.
[[nodiscard]] int selftest(const SelftestOptions& options, std::ostream& out, std::ostream& err);

}  // namespace stint::inline v0::selftest
