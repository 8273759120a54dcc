// Which of many patterns of one attribute fit a value: exact values by hash;
// globs by a hash of what they begin or end with, one look for each length in
// use; networks by a hash of the address, one look for each prefix in use.
// Only globs such as `*x*`, which begin and end with anything, are tried one
// after the other. Threads: immutable after build().
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rules/pattern.hpp"

namespace stint::inline v0::rules {

using IndexList = boost::container::small_vector<std::uint32_t, 16>;

class PatternIndex {
public:
    /// What a pattern is found by. Patterns that are always tried share one.
    [[nodiscard]] static std::uint64_t bucket(const Pattern& pattern) noexcept;
    static constexpr std::uint64_t kAlwaysTried = 0;

    /// Notes that `id` is to be found where `pattern` fits.
    void add(Pattern pattern, std::uint32_t id);
    /// Requires: called once, after the last add().
    void build();

    /// Appends the ids of all patterns that fit; an id may come twice.
    void find(const Subject& subject, IndexList& ids) const noexcept;
    /// Returns: whether any pattern fits.
    [[nodiscard]] bool any(const Subject& subject) const noexcept;

private:
    struct Entry {
        std::uint64_t bucket = 0;
        Pattern pattern;
        std::uint32_t id = 0;
    };
    struct Range {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };

    template <typename Visit>
    bool visit(const Subject& subject, const Visit& visit) const noexcept;
    template <typename Visit>
    bool visit_bucket(std::uint64_t bucket, const Subject& subject, const Visit& visit) const noexcept;

    std::vector<Entry> entries_;  // sorted by bucket
    boost::unordered_flat_map<std::uint64_t, Range> buckets_;
    Range always_tried_;
    std::vector<std::size_t> prefix_lengths_;  // ascending, as the next four
    std::vector<std::size_t> suffix_lengths_;
    std::vector<int> networks_v4_;
    std::vector<int> networks_v6_;
    std::size_t exact_length_max_ = 0;
    bool has_exact_ = false;
};

}  // namespace stint::inline v0::rules
