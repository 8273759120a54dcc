#include "stint/decision.hpp"

#include <algorithm>
#include <array>

namespace stint::inline v0 {

const char* to_string(Source source) noexcept {
    constexpr std::array kNames{"none", "store", "local", "failure_policy", "shadow"};
    return kNames[static_cast<std::size_t>(source)];
}

std::vector<std::string_view> Decision::denied_by() const {
    std::vector<std::string_view> rules;
    for (const LimitDecision& entry : limits) {
        const bool denies = !allowed && !entry.allowed && !entry.shadow;
        if (denies && std::ranges::find(rules, entry.rule) == rules.end()) rules.push_back(entry.rule);
    }
    return rules;
}

const LimitDecision* Decision::deciding() const noexcept {
    return limits.empty() ? nullptr : &limits[deciding_index];
}

}  // namespace stint::inline v0
