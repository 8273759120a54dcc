#include "rules/match_index.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/assert.hpp"

namespace stint::inline v0::rules {
namespace {

constexpr std::size_t kTriedInTurnMax = 8;

Subject subject_of(const ResolvedRequest& request, AttributeId attribute, std::optional<AttributeId> ip) noexcept {
    const bool is_ip = ip == attribute && request.address().has_value();
    return {.value = request.value(attribute), .address = is_ip ? &*request.address() : nullptr};
}

std::vector<Pattern> compile_patterns(const Condition& condition) {
    std::vector<Pattern> patterns;
    for (const std::string& text : condition.patterns) {
        auto pattern = Pattern::compile(condition.attribute, text);
        STINT_ASSERT(pattern.has_value());
        patterns.push_back(std::move(*pattern));
    }
    return patterns;
}

bool fits_all(const Pattern& pattern) noexcept {
    return pattern.glob() != nullptr && pattern.glob()->fits_all();
}

bool asks_for_presence(const std::vector<Pattern>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(), fits_all);
}

}  // namespace

CompiledConditions::CompiledConditions(const Conditions& conditions, AttributeTable& attributes) {
    for (const Condition& condition : conditions) {
        One& one = conditions_.emplace_back();
        one.attribute = attributes.intern(condition.attribute);
        one.patterns = compile_patterns(condition);
        if (one.patterns.size() <= kTriedInTurnMax) continue;
        one.index = std::make_unique<PatternIndex>();
        for (Pattern& pattern : one.patterns) one.index->add(std::move(pattern), 0);
        one.patterns.clear();
        one.index->build();
    }
}

bool CompiledConditions::One::fits(const Subject& subject) const noexcept {
    if (index != nullptr) return index->any(subject);
    return std::any_of(patterns.begin(), patterns.end(), [&](const Pattern& pattern) { return pattern.fits(subject); });
}

bool CompiledConditions::fits(const ResolvedRequest& request, std::optional<AttributeId> ip) const noexcept {
    return std::all_of(conditions_.begin(), conditions_.end(), [&](const One& one) {
        if (!request.has(one.attribute)) return false;
        return one.fits(subject_of(request, one.attribute, ip));
    });
}

/// What a set is to be found by: the patterns of a condition, or that an
/// attribute is there (no patterns).
struct MatchIndex::Choice {
    AttributeId attribute = 0;
    std::vector<Pattern> patterns;
};

/// How many sets share each bucket of each attribute.
class MatchIndex::Loads {
public:
    void count(const Choice& choice) {
        if (choice.patterns.empty()) ++loads_[key(choice.attribute, PatternIndex::kAlwaysTried)];
        for (const Pattern& pattern : choice.patterns) ++loads_[key(choice.attribute, PatternIndex::bucket(pattern))];
    }

    /// Returns: the most sets that a request can meet that finds this choice.
    [[nodiscard]] std::uint32_t most(const Choice& choice) const {
        if (choice.patterns.empty()) return loads_.at(key(choice.attribute, PatternIndex::kAlwaysTried));
        std::uint32_t most = 0;
        for (const Pattern& pattern : choice.patterns) {
            most = std::max(most, loads_.at(key(choice.attribute, PatternIndex::bucket(pattern))));
        }
        return most;
    }

private:
    static std::uint64_t key(AttributeId attribute, std::uint64_t bucket) noexcept {
        return bucket ^ (std::uint64_t{attribute} << 48) ^ (std::uint64_t{attribute} << 20);
    }

    boost::unordered_flat_map<std::uint64_t, std::uint32_t> loads_;
};

void MatchIndex::add(const Conditions& match, const Conditions& unless, std::span<const AttributeId> key,
                     AttributeTable& attributes) {
    sets_.push_back(Set{.match = CompiledConditions{match, attributes},
                        .unless = CompiledConditions{unless, attributes},
                        .key = {key.begin(), key.end()},
                        .source = &match});
}

// Who finds a set by this choice has seen that it holds.
void MatchIndex::Set::drop(std::size_t choice) {
    auto& conditions = match.conditions_;
    if (choice < conditions.size()) {
        conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(choice));
    } else {
        key.erase(key.begin() + static_cast<std::ptrdiff_t>(choice - conditions.size()));
    }
}

void MatchIndex::place(std::uint32_t number, const Choice& choice) {
    auto pivot = std::find_if(pivots_.begin(), pivots_.end(),
                              [&](const Pivot& candidate) { return candidate.attribute == choice.attribute; });
    if (pivot == pivots_.end()) {
        pivots_.push_back(Pivot{.attribute = choice.attribute, .patterns = {}, .present = {}});
        pivot = std::prev(pivots_.end());
    }
    if (choice.patterns.empty()) pivot->present.push_back(number);
    for (const Pattern& pattern : choice.patterns) pivot->patterns.add(pattern, number);
}

void MatchIndex::build(std::optional<AttributeId> ip) {
    ip_ = ip;
    std::vector<std::vector<Choice>> choices(sets_.size());
    Loads loads;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
        const Set& set = sets_[i];
        for (std::size_t j = 0; j < set.source->size(); ++j) {
            auto patterns = compile_patterns((*set.source)[j]);
            if (asks_for_presence(patterns)) patterns.clear();
            choices[i].push_back({.attribute = set.match.conditions_[j].attribute, .patterns = std::move(patterns)});
        }
        for (const AttributeId attribute : set.key) choices[i].push_back({.attribute = attribute, .patterns = {}});
        for (const Choice& choice : choices[i]) loads.count(choice);
    }
    for (std::uint32_t i = 0; i < sets_.size(); ++i) {
        sets_[i].source = nullptr;
        const auto best = std::min_element(
            choices[i].begin(), choices[i].end(),
            [&](const Choice& left, const Choice& right) { return loads.most(left) < loads.most(right); });
        if (best == choices[i].end()) {
            always_.push_back(i);
            continue;
        }
        place(i, *best);
        sets_[i].drop(static_cast<std::size_t>(best - choices[i].begin()));
    }
    for (Pivot& pivot : pivots_) pivot.patterns.build();
}

bool MatchIndex::fits(const Set& set, const ResolvedRequest& request) const noexcept {
    const auto has = [&](AttributeId attribute) { return request.has(attribute); };
    if (!std::all_of(set.key.begin(), set.key.end(), has)) return false;
    if (!set.match.fits(request, ip_)) return false;
    return set.unless.empty() || !set.unless.fits(request, ip_);
}

void MatchIndex::candidates(const ResolvedRequest& request, IndexList& found) const noexcept {
    found.clear();
    for (const Pivot& pivot : pivots_) {
        if (!request.has(pivot.attribute)) continue;
        pivot.patterns.find(subject_of(request, pivot.attribute, ip_), found);
        found.insert(found.end(), pivot.present.begin(), pivot.present.end());
    }
    found.insert(found.end(), always_.begin(), always_.end());
    if (found.size() < 2) return;
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
}

void MatchIndex::find_all(const ResolvedRequest& request, IndexList& found) const noexcept {
    candidates(request, found);
    const auto misses = [&](std::uint32_t number) { return !fits(sets_[number], request); };
    found.erase(std::remove_if(found.begin(), found.end(), misses), found.end());
}

std::optional<std::uint32_t> MatchIndex::find_first(const ResolvedRequest& request) const noexcept {
    IndexList found;
    candidates(request, found);
    const auto first =
        std::find_if(found.begin(), found.end(), [&](std::uint32_t number) { return fits(sets_[number], request); });
    if (first == found.end()) return std::nullopt;
    return *first;
}

}  // namespace stint::inline v0::rules
