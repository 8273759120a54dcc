// The reference model of one counter: it remembers what was charged and when,
// and answers every question from the definition in docs/algorithms.md:
//   - how much passes at a moment is summed up from the list of charges;
//   - the wait is looked for: the smallest after which the cost passes;
//   - no state is packed, no closed formula is used.
// Slow on purpose, never shipped. Tested by model_test.cpp against the vectors.
// Threads: none; one thread at a time.
#pragma once

#include <cstdint>
#include <memory>

#include "stint/limit.hpp"

namespace stint::inline v0::oracle {

/// What one limit answers. Waits in us; `kNever.count()` for never.
struct Reply {
    bool allowed = true;
    std::uint64_t remaining = 0;
    std::int64_t retry_after_us = 0;
    std::int64_t reset_after_us = 0;

    friend bool operator==(const Reply&, const Reply&) = default;
};

/// What one grant took, for its refund: the window, part or moment that was charged.
struct Charge {
    std::int64_t moment = 0;
    std::uint64_t units = 0;
    std::uint64_t lease_id = 0;
};

/// The charges of one counter. `spec` carries the limit's numbers, which may change from call to call.
class History {
public:
    History() = default;
    History(const History&) = delete;
    History& operator=(const History&) = delete;
    virtual ~History() = default;

    [[nodiscard]] static std::unique_ptr<History> make(const LimitSpec& spec);

    /// Returns: the largest cost that would pass `wait` us after the moment at which a check at `t` is taken.
    [[nodiscard]] virtual std::uint64_t room(const LimitSpec& spec, std::int64_t t, std::int64_t wait) const = 0;
    /// Returns: how long after that moment the key is as if never used.
    [[nodiscard]] virtual std::int64_t reset_after(const LimitSpec& spec, std::int64_t t) const = 0;
    /// Takes a cost that passes.
    virtual Charge charge(const LimitSpec& spec, std::int64_t t, std::uint64_t units, std::uint64_t lease_id) = 0;
    /// Takes the cost of a denied check, as count_denied has it.
    virtual void charge_denied(const LimitSpec& spec, std::int64_t t, std::uint64_t units) = 0;
    virtual void refund(const LimitSpec& spec, std::int64_t t, const Charge& charge) = 0;

    /// Leases only. Returns: whether it was held.
    virtual bool release(std::int64_t t, std::uint64_t lease_id);
    virtual bool renew(std::int64_t t, std::uint64_t lease_id, std::int64_t lease_us);

    /// Returns: what a check of this cost would be answered, as things are.
    [[nodiscard]] Reply look(const LimitSpec& spec, std::int64_t t, std::uint64_t cost) const;
};

/// Returns: the most that a limit of this kind ever lets through at one moment.
[[nodiscard]] std::uint64_t ceiling(const LimitSpec& spec);

}  // namespace stint::inline v0::oracle
