#include "stint/guard.hpp"

#include <fmt/format.h>

namespace stint::inline v0 {

void detail::end_lease(Limiter& limiter, std::string_view lease) noexcept {
    if (lease.empty()) return;
    if (limiter.store_can_fail()) {
        limiter.release_async(lease, std::nullopt, [](ChangeAnswer) {});
    } else {
        limiter.release(lease);
    }
}

Rule detail::action_rule(std::string_view action, const Limit& limit, std::size_t parts) {
    Rule rule;
    rule.name = action;
    rule.match = {{"action", {rule.name}}};
    for (std::size_t i = 1; i <= parts; ++i) rule.key.push_back(fmt::format("_{}", i));
    rule.limits = {limit};
    return rule;
}

}  // namespace stint::inline v0
