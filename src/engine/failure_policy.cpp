#include "engine/failure_policy.hpp"

#include <fmt/format.h>

#include <boost/container/small_vector.hpp>

#include "base/uint128.hpp"
#include "stint/error.hpp"

namespace stint::inline v0::engine {
namespace {

/// When to try again after a refusal that only says that the store is down.
constexpr Duration kTryAgain = std::chrono::seconds{1};

/// Answers for all limits of an ask without counting anything: what remains is not known.
void answer(Ask& ask, bool allowed) {
    for (Answer& slot : ask.answers) {
        slot.allowed = allowed;
        slot.retry_after = allowed ? Duration{0} : kTryAgain;
    }
}

}  // namespace

FailurePolicy::FailurePolicy(const LimiterOptions& options) : instances_(options.instances), local_(options.local) {}

Source FailurePolicy::decide(Check& check, std::span<const OnStoreFailure> policies, std::optional<Instant> now,
                             std::forward_list<std::vector<Counter>>& shares) {
    bool denied = false;
    boost::container::small_vector<Ask, 4> local;
    boost::container::small_vector<Ask*, 4> origins;
    for (std::size_t i = 0; i < check.asks.size(); ++i) {
        Ask& ask = check.asks[i];
        ask.banned = false;
        ask.banned_for = Duration{0};
        for (Answer& slot : ask.answers) slot = {};
        if (policies[i] != OnStoreFailure::local) {
            answer(ask, policies[i] == OnStoreFailure::allow);
            denied = denied || policies[i] == OnStoreFailure::deny;
            continue;
        }
        std::vector<Counter>& counters = shares.emplace_front();
        for (const Counter& counter : ask.counters) counters.push_back({share_of(counter.limit), counter.id});
        ask.counters = counters;
        local.push_back(ask);
        origins.push_back(&ask);
    }
    check.allowed = !denied;
    if (local.empty()) return Source::failure_policy;

    Check shared{.asks = {local.data(), local.size()}, .lease_id = check.lease_id, .peek = check.peek || denied};
    local_.decide({&shared, 1}, now);
    for (std::size_t i = 0; i < local.size(); ++i) {
        origins[i]->banned = local[i].banned;
        origins[i]->banned_for = local[i].banned_for;
    }
    check.allowed = check.allowed && shared.allowed;
    return denied ? Source::failure_policy : Source::local;
}

std::optional<std::string> FailurePolicy::refusal(const Limit& limit) const {
    try {
        if (const auto reason = local_.refusal(share_of(limit))) return "on_store_failure: local: " + *reason;
    } catch (const ConfigError& error) {
        return fmt::format("on_store_failure: local: the share of one of {} instances cannot be: {}", instances_,
                           error.problems()[0].reason);
    }
    return std::nullopt;
}

Limit FailurePolicy::share_of(const Limit& limit) const {
    if (instances_ == 1) return limit;
    const auto share = [this](std::uint64_t number) { return divide_up<std::uint64_t>(number, instances_); };
    std::optional<std::uint64_t> capacity;
    if (limit.algorithm() == Algorithm::token_bucket) capacity = share(limit.ceiling());
    return limit.with_numbers(share(limit.limit()), capacity);
}

}  // namespace stint::inline v0::engine
