#include "stint/rule_table.hpp"

#include <string>

namespace stint::inline v0 {

Limit Quota::to_limit() const {
    LimitSpec spec{
        .algorithm = algorithm_, .limit = limit_, .anchor = anchor_, .mode = mode_, .count_denied = count_denied_};
    if (algorithm_ == Algorithm::concurrency) {
        spec.lease = Duration{per_us_};
    } else if (anchor_ == Anchor::calendar) {
        spec.unit = unit_;
        spec.timezone = std::string{timezone_};
    } else {
        spec.per = Duration{per_us_};
    }
    if (algorithm_ == Algorithm::sliding_window) spec.buckets = buckets_;
    if (algorithm_ == Algorithm::token_bucket) spec.capacity = capacity_;
    return Limit::make(spec);
}

Rule RuleEntry::to_rule() const {
    Rule rule;
    rule.name = name;
    rule.match = {{"action", {std::string{name}}}};
    rule.key.assign(key.begin(), key.end());
    for (const Quota& quota : limits) rule.limits.push_back(quota.to_limit());
    rule.ban = ban;
    rule.cost = cost;
    rule.shadow = shadow;
    rule.on_store_failure = on_store_failure;
    return rule;
}

}  // namespace stint::inline v0
