// What a check comes to that the store could not decide: each rule says
// whether it is then allowed, denied, or decided in memory with this
// instance's share of the limit. Tested by failure_policy_test.cpp.
// Threads: any.
#pragma once

#include <forward_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stint/decision.hpp"
#include "stint/limiter.hpp"
#include "stint/memory_store.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::engine {

class FailurePolicy {
public:
    explicit FailurePolicy(const LimiterOptions& options);

    /// Where shares are counted while the store fails.
    [[nodiscard]] MemoryStore& local() noexcept { return local_; }

    /// Returns: why this instance's share of a limit cannot be counted here, if it cannot.
    [[nodiscard]] std::optional<std::string> refusal(const Limit& limit) const;

    /// Decides a check in the store's stead. Requires: no limit that refusal() refuses. `policies`: one for each ask.
    /// `shares`: keeps the limits that the asks point to afterwards.
    /// Returns: failure_policy if no share was counted, else local.
    Source decide(Check& check, std::span<const OnStoreFailure> policies, std::optional<Instant> now,
                  std::forward_list<std::vector<Counter>>& shares);

private:
    /// This instance's share: rounded up, at least 1; a limit of 0 stays.
    [[nodiscard]] Limit share_of(const Limit& limit) const;

    std::uint64_t instances_;
    MemoryStore local_;
};

}  // namespace stint::inline v0::engine
