// "Did you mean …?" for misspelt words. Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stint::inline v0 {

/// Returns: the fewest insertions, deletions, replacements and swaps of
/// neighbours that make one word the other (optimal string alignment).
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

/// Returns: the known word that `word` was probably meant to be, or an empty
/// view. Of equally near ones the first.
[[nodiscard]] std::string_view suggest(std::string_view word, std::span<const std::string_view> known);

/// Returns: `; did you mean 'x'?` or, if nothing is near, `; known: a, b, c`.
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace stint::inline v0
