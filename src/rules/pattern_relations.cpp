#include "rules/pattern_relations.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "rules/pattern.hpp"

namespace stint::inline v0::rules {
namespace {

Pattern compiled(std::string_view attribute, const std::string& text) {
    auto pattern = Pattern::compile(attribute, text);
    STINT_ASSERT(pattern.has_value());
    return std::move(*pattern);
}

bool covers(const Pattern& wide, const Pattern& narrow, const std::string& narrow_text) {
    if (const Glob* glob = wide.glob()) {
        if (glob->fits_all()) return true;
        // A network's values are text that the glob would have to be tried on, one by one.
        if (narrow.network() != nullptr) return false;
        // Of a glob the stars are tried as letters: only a star of `wide` fits
        // them, and it would fit anything else in their place.
        return glob->fits(narrow_text);
    }
    if (const IpNetwork* network = wide.network()) {
        return narrow.network() != nullptr && narrow.network()->prefix >= network->prefix &&
               network->contains(narrow.network()->address);
    }
    return narrow.exact() != nullptr && *narrow.exact() == *wide.exact();
}

bool disjoint(const Pattern& left, const Pattern& right) {
    if (left.network() != nullptr && right.network() != nullptr) {
        return !left.network()->contains(right.network()->address) &&
               !right.network()->contains(left.network()->address);
    }
    if (left.exact() != nullptr && right.exact() != nullptr) return *left.exact() != *right.exact();
    if (left.exact() != nullptr && right.glob() != nullptr) return !right.glob()->fits(*left.exact());
    if (left.glob() != nullptr && right.exact() != nullptr) return !left.glob()->fits(*right.exact());
    // An exact value of `ip` is no address, so no network holds it.
    return (left.network() != nullptr && right.exact() != nullptr) ||
           (left.exact() != nullptr && right.network() != nullptr);
}

const Condition* find(const Conditions& conditions, const std::string& attribute) {
    const auto at = std::find_if(conditions.begin(), conditions.end(),
                                 [&](const Condition& condition) { return condition.attribute == attribute; });
    return at == conditions.end() ? nullptr : &*at;
}

}  // namespace

bool covers(std::string_view attribute, const std::string& wide, const std::string& narrow) {
    if (attribute != kIpAttribute && !has_wildcard(wide)) return wide == narrow;  // by far the most
    return covers(compiled(attribute, wide), compiled(attribute, narrow), narrow);
}

bool disjoint(const Condition& left, const Condition& right) {
    return std::all_of(left.patterns.begin(), left.patterns.end(), [&](const std::string& one) {
        const Pattern pattern = compiled(left.attribute, one);
        return std::all_of(right.patterns.begin(), right.patterns.end(), [&](const std::string& other) {
            return disjoint(pattern, compiled(right.attribute, other));
        });
    });
}

bool disjoint(const Conditions& left, const Conditions& right) {
    return std::any_of(left.begin(), left.end(), [&](const Condition& condition) {
        const Condition* other = find(right, condition.attribute);
        return other != nullptr && disjoint(condition, *other);
    });
}

bool implies(const Conditions& given, const Condition& condition) {
    const Condition* same = find(given, condition.attribute);
    if (same == nullptr) return false;
    return std::all_of(same->patterns.begin(), same->patterns.end(), [&](const std::string& narrow) {
        return std::any_of(condition.patterns.begin(), condition.patterns.end(),
                           [&](const std::string& wide) { return covers(condition.attribute, wide, narrow); });
    });
}

bool implies(const Conditions& given, const Conditions& conditions) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](const Condition& condition) { return implies(given, condition); });
}

}  // namespace stint::inline v0::rules
