// How often each of many names occurred, and which did most.
// Tested by tally_test.cpp. Threads: one at a time.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stint::inline v0::replay {

class Tally {
public:
    using Entry = std::pair<std::string_view, std::uint64_t>;

    void add(std::string_view name) {
        auto place = counts_.find(name);
        if (place == counts_.end()) place = counts_.emplace(name, 0).first;
        ++place->second;
    }
    [[nodiscard]] std::size_t size() const noexcept { return counts_.size(); }

    /// Returns: the `count` names that occurred most, most first; of equal
    /// counts the name first that `before` puts first.
    template <typename Before>
    [[nodiscard]] std::vector<Entry> top(std::size_t count, Before before) const {
        std::vector<Entry> entries(counts_.begin(), counts_.end());
        const auto end = entries.begin() + static_cast<std::ptrdiff_t>(std::min(count, entries.size()));
        std::partial_sort(entries.begin(), end, entries.end(), [&](const Entry& a, const Entry& b) {
            return a.second != b.second ? a.second > b.second : before(a.first, b.first);
        });
        entries.erase(end, entries.end());
        return entries;
    }
    /// The same with equal counts in byte order.
    [[nodiscard]] std::vector<Entry> top(std::size_t count) const {
        return top(count, [](std::string_view a, std::string_view b) { return a < b; });
    }

private:
    // Look-ups by view, without a string for each.
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
    };
    boost::unordered_flat_map<std::string, std::uint64_t, Hash, std::equal_to<>> counts_;
};

}  // namespace stint::inline v0::replay
