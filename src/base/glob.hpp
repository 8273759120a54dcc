// Patterns in which `*` stands for any bytes, also none, and every other byte
// for itself. There is no escape: a pattern cannot demand a star.
// Tested by glob_test.cpp. Threads: immutable.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stint::inline v0 {

[[nodiscard]] inline bool has_wildcard(std::string_view pattern) noexcept {
    return pattern.find('*') != pattern.npos;
}

/// A pattern taken apart at its stars: what the text must begin with, end
/// with, and hold in between, in order. Nothing overlaps: `ab*ba` fits `abba`, not `aba`.
class Glob {
public:
    /// Requires: has_wildcard(pattern).
    explicit Glob(std::string_view pattern);

    [[nodiscard]] bool fits(std::string_view text) const noexcept;
    [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
    [[nodiscard]] const std::string& suffix() const noexcept { return suffix_; }
    /// Returns: whether every text fits.
    [[nodiscard]] bool fits_all() const noexcept { return length_min_ == 0; }

private:
    std::string prefix_;
    std::string suffix_;
    std::vector<std::string> middle_;  // none is empty
    std::size_t length_min_ = 0;
};

}  // namespace stint::inline v0
