// The answer to a check. A denial is a value, never an exception.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stint/inline_vector.hpp"
#include "stint/limit.hpp"
#include "stint/store.hpp"
#include "stint/time.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// Where an answer came from.
enum class Source : std::uint8_t {
    none,            ///< no rule applies
    store,           ///< the store decided
    local,           ///< the store failed; the same rule was decided in memory
    failure_policy,  ///< the store failed; the rule says allow or deny
    shadow,          ///< only shadow rules apply: their numbers, but never a denial
};
[[nodiscard]] const char* to_string(Source source) noexcept;

/// What one limit of one rule answered.
struct LimitDecision {
    std::string_view rule;  ///< lives as long as the Limiter
    Limit limit;
    bool allowed = true;  ///< by this limit alone
    bool shadow = false;
    bool banned = false;  ///< denied by the rule's ban
    /// store, or what decided in its stead. failure_policy: nothing was counted, and nobody knows
    /// `remaining` and `reset_after`, which are 0.
    Source source = Source::store;
    std::uint64_t remaining = 0;
    Duration retry_after{};  ///< 0 if allowed; kNever if no wait helps
    Duration reset_after{};
    Answer answer{};  ///< for the refund
};

/// Those of one check; two need no allocation.
using LimitDecisions = InlineVector<LimitDecision, 2>;

/// Stands for one refund. A copy of a decision has none, so that what was
/// taken once can be given back once.
class RefundTicket {
public:
    RefundTicket() = default;
    RefundTicket(const RefundTicket&) noexcept {}
    RefundTicket(RefundTicket&& other) noexcept : valid_(std::exchange(other.valid_, false)) {}
    RefundTicket& operator=(const RefundTicket& other) noexcept {
        if (this != &other) valid_ = false;
        return *this;
    }
    RefundTicket& operator=(RefundTicket&& other) noexcept {
        valid_ = std::exchange(other.valid_, false);
        return *this;
    }
    ~RefundTicket() = default;

    void issue() noexcept { valid_ = true; }
    /// Returns: whether the ticket was still good; it no longer is.
    [[nodiscard]] bool redeem() noexcept { return std::exchange(valid_, false); }

private:
    bool valid_ = false;
};

/// The decision reported for several limits: allowed, the one with the least
/// remaining of which it is known; denied, the longest wait among those that deny. Ties: the first
/// in the order of the rules.
struct Decision {
    bool allowed = true;
    bool silent = false;  ///< denied by a silent ban: pretend, and drop the work
    Source source = Source::none;
    std::string_view rule;    ///< the deciding rule; empty if none applies
    std::uint64_t limit = 0;  ///< of the deciding limit: its most at one moment
    std::uint64_t remaining = 0;
    Duration retry_after{};  ///< 0 if allowed; kNever if no wait helps
    Duration reset_after{};  ///< until the deciding limit's key is as if never used
    std::string lease;       ///< hands back what concurrency limits lent; empty if none did
    LimitDecisions limits;   ///< all that took part, in the order of the rules
    RefundTicket ticket;
    std::uint64_t lease_id = 0;

    /// Returns: the names of the rules that denied, each once, in order.
    [[nodiscard]] std::vector<std::string_view> denied_by() const;
    /// Returns: the deciding limit's entry of `limits`, or null if no rule applies.
    [[nodiscard]] const LimitDecision* deciding() const noexcept;

    std::size_t deciding_index = 0;  ///< into `limits`, if it is not empty
};

}  // namespace stint::inline v0
#pragma GCC visibility pop
