#include "rules/pattern_index.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.hpp"

namespace stint::inline v0::rules {
namespace {

constexpr std::uint64_t kExactSeed = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kPrefixSeed = 0xbf58476d1ce4e5b9;
constexpr std::uint64_t kSuffixSeed = 0x94d049bb133111eb;
constexpr std::uint64_t kNetworkSeed = 0xd6e8feb86659fd93;

// Long literal parts are looked up by their first or last bytes: so a value
// is hashed at most 46 times, however many lengths the patterns have.
constexpr std::size_t round_length(std::size_t length) noexcept {
    if (length <= 32) return length;
    return std::min<std::size_t>(length / 16 * 16, 256);
}

std::uint64_t exact_bucket(std::string_view value) noexcept {
    return hash64(value, kExactSeed) | 1;
}

std::uint64_t prefix_bucket(std::string_view text, std::size_t length) noexcept {
    return hash64(text.substr(0, length), kPrefixSeed) | 1;
}

std::uint64_t suffix_bucket(std::string_view text, std::size_t length) noexcept {
    return hash64(text.substr(text.size() - length), kSuffixSeed) | 1;
}

std::uint64_t network_bucket(const IpAddress& address, int prefix) noexcept {
    const IpAddress cut = address.cut(prefix);
    const std::array<std::uint64_t, 3> words{cut.high, cut.low,
                                             static_cast<std::uint64_t>(prefix) << 1 | (cut.v4 ? 1U : 0U)};
    return XXH3_64bits_withSeed(words.data(), sizeof(words), kNetworkSeed) | 1;
}

bool by_prefix(const Glob& glob) noexcept {
    return glob.prefix().size() >= glob.suffix().size();
}

template <typename T>
void insert_sorted(std::vector<T>& values, T value) {
    const auto at = std::lower_bound(values.begin(), values.end(), value);
    if (at == values.end() || *at != value) values.insert(at, value);
}

}  // namespace

std::uint64_t PatternIndex::bucket(const Pattern& pattern) noexcept {
    if (const auto* text = pattern.exact()) return exact_bucket(*text);
    if (const auto* network = pattern.network()) return network_bucket(network->address, network->prefix);
    const Glob& glob = *pattern.glob();
    if (by_prefix(glob)) {
        const std::size_t length = round_length(glob.prefix().size());
        return length == 0 ? kAlwaysTried : prefix_bucket(glob.prefix(), length);
    }
    return suffix_bucket(glob.suffix(), round_length(glob.suffix().size()));
}

void PatternIndex::add(Pattern pattern, std::uint32_t id) {
    if (const auto* text = pattern.exact()) {
        has_exact_ = true;
        exact_length_max_ = std::max(exact_length_max_, text->size());
    } else if (const auto* network = pattern.network()) {
        insert_sorted(network->address.v4 ? networks_v4_ : networks_v6_, network->prefix);
    } else if (const Glob& glob = *pattern.glob(); by_prefix(glob)) {
        if (!glob.prefix().empty()) insert_sorted(prefix_lengths_, round_length(glob.prefix().size()));
    } else {
        insert_sorted(suffix_lengths_, round_length(glob.suffix().size()));
    }
    const std::uint64_t found_by = bucket(pattern);
    entries_.push_back(Entry{.bucket = found_by, .pattern = std::move(pattern), .id = id});
}

void PatternIndex::build() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& left, const Entry& right) { return left.bucket < right.bucket; });
    for (std::uint32_t begin = 0; begin < entries_.size();) {
        std::uint32_t end = begin + 1;
        while (end < entries_.size() && entries_[end].bucket == entries_[begin].bucket) ++end;
        const Range range{.begin = begin, .end = end};
        if (entries_[begin].bucket == kAlwaysTried) {
            always_tried_ = range;
        } else {
            buckets_.emplace(entries_[begin].bucket, range);
        }
        begin = end;
    }
}

// `visit(id)` returns whether to go on; so do these two.
template <typename Visit>
bool PatternIndex::visit_bucket(std::uint64_t bucket, const Subject& subject, const Visit& visit) const noexcept {
    const auto found = buckets_.find(bucket);
    if (found == buckets_.end()) return true;
    for (std::uint32_t i = found->second.begin; i < found->second.end; ++i) {
        if (entries_[i].pattern.fits(subject) && !visit(entries_[i].id)) return false;
    }
    return true;
}

template <typename Visit>
bool PatternIndex::visit(const Subject& subject, const Visit& visit) const noexcept {
    const std::string_view value = subject.value;
    if (has_exact_ && value.size() <= exact_length_max_) {
        if (!visit_bucket(exact_bucket(value), subject, visit)) return false;
    }
    for (const std::size_t length : prefix_lengths_) {
        if (length > value.size()) break;
        if (!visit_bucket(prefix_bucket(value, length), subject, visit)) return false;
    }
    for (const std::size_t length : suffix_lengths_) {
        if (length > value.size()) break;
        if (!visit_bucket(suffix_bucket(value, length), subject, visit)) return false;
    }
    if (subject.address != nullptr) {
        for (const int prefix : subject.address->v4 ? networks_v4_ : networks_v6_) {
            if (!visit_bucket(network_bucket(*subject.address, prefix), subject, visit)) return false;
        }
    }
    for (std::uint32_t i = always_tried_.begin; i < always_tried_.end; ++i) {
        if (entries_[i].pattern.fits(subject) && !visit(entries_[i].id)) return false;
    }
    return true;
}

void PatternIndex::find(const Subject& subject, IndexList& ids) const noexcept {
    visit(subject, [&ids](std::uint32_t id) {
        ids.push_back(id);
        return true;
    });
}

bool PatternIndex::any(const Subject& subject) const noexcept {
    return !visit(subject, [](std::uint32_t) { return false; });
}

}  // namespace stint::inline v0::rules
