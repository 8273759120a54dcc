// The one question that a store answers: decide these asks together, at this
// time. Protocols never come here; they ask a Limiter, which asks its store.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stint/digest.hpp"
#include "stint/limit.hpp"
#include "stint/time.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// A limit of a rule, with what tells its counters from all others: a hash of
/// the rule's name, the names of its key's attributes and the limit's kind.
struct Counter {
    Limit limit;
    std::uint64_t id = 0;
};

/// Too many denials within a time: the key is denied outright for a time.
struct Ban {
    std::uint64_t denials = 0;  ///< 1 to kBanDenialsMax
    Duration within{};          ///< from the first of them
    Duration duration{};        ///< how long the ban lasts
    bool silent = false;        ///< mark denials so that the caller can pretend
    friend bool operator==(const Ban&, const Ban&) = default;
};
inline constexpr std::uint64_t kBanDenialsMax = 32'767;

struct BanCounter {
    Ban ban;
    std::uint64_t id = 0;
};

/// What one limit answered.
struct Answer {
    bool allowed = true;          ///< this limit alone would let the check pass
    std::uint64_t remaining = 0;  ///< what one immediate larger request could take
    Duration retry_after{};       ///< 0 if allowed; kNever if no wait helps
    Duration reset_after{};       ///< until the key is as if never used
    /// What a refund gives back: which counter, the moment or window that was
    /// charged (its meaning is the algorithm's), how many units. 0 units: nothing.
    CounterRef counter;
    std::int64_t moment = 0;
    std::uint64_t charged = 0;
};

/// One rule asked about one key.
struct Ask {
    std::string_view key{};                ///< the encoded key; any bytes
    std::string_view rule{};               ///< its name
    std::span<const std::string> names{};  ///< of the key's attributes
    std::span<const Counter> counters{};   ///< at least one
    const BanCounter* ban = nullptr;       ///< null: the rule bans nobody
    std::string_view redis_key{};          ///< the plain counter that Redis counts in; empty: none
    std::uint64_t cost = 1;                ///< at most kCostMax
    bool deny_cache = true;                ///< may be denied from what the store has said before

    std::span<Answer> answers{};  ///< out: one for each counter
    bool banned = false;          ///< out: denied by a ban that was in force already
    Duration banned_for{};        ///< out: how long a ban lasts from now, also one that this denial starts
    bool from_cache = false;      ///< out: denied from what the store had said before
};

/// Why a store did not decide. Whether the check was counted is then unknown.
enum class StoreError : std::uint8_t {
    none,
    timeout,      ///< no answer within the deadline
    unavailable,  ///< no connection, or the server cannot serve now
    refused,      ///< the server refuses: out of memory, no permission, not our data
    overloaded,   ///< too many checks wait already
};
[[nodiscard]] const char* to_string(StoreError error) noexcept;

/// Whether something was done or held, or why the store cannot tell.
struct ChangeAnswer {
    bool done = false;
    StoreError error{};
    explicit operator bool() const noexcept { return done; }
};

/// Called once when a store has decided. Threads: any; it must not block.
struct Completion {
    void (*call)(void* context) noexcept = nullptr;
    void* context = nullptr;
    void operator()() const noexcept { call(context); }
};

/// Asks that stand or fall together, in one atomic step.
struct Check {
    std::span<Ask> asks{};
    std::uint64_t lease_id = 0;  ///< names the leases that concurrency limits hand out
    bool peek = false;           ///< answer, but change nothing
    bool allowed = false;        ///< out: every ask is allowed
    StoreError error{};          ///< out: why nothing of this was decided, and all other answers mean nothing
};

/// Where states live and where a check is decided.
/// Threads: all functions may be called from any number of threads.
class Store {
public:
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    virtual ~Store() = default;

    /// Decides each check on its own, in order; within one check all limits
    /// are consumed or none is, except counters that count denials.
    /// `now`: the time of all of them; none: the store's clock, read once.
    virtual void decide(std::span<Check> checks, std::optional<Instant> now) noexcept = 0;

    /// The same without waiting for an answer from elsewhere: `done` is called
    /// once, perhaps before this returns. `checks` and what they point to live until then.
    virtual void decide_async(std::span<Check> checks, std::optional<Instant> now, Completion done) noexcept {
        decide(checks, now);
        done();
    }

    /// Returns: whether decide() may fail.
    [[nodiscard]] virtual bool can_fail() const noexcept { return false; }

    /// Gives back what one answer charged, at most once: the caller sees to
    /// that. Ignored when the window or moment that it belongs to is gone.
    /// `lease_id` as in the check, for concurrency limits.
    virtual void refund(const Limit& limit, const Answer& answer, std::uint64_t lease_id,
                        std::optional<Instant> now) noexcept = 0;

    /// Ends a lease before its time. Returns: whether it was held.
    virtual ChangeAnswer release(const CounterRef& counter, std::uint64_t lease_id,
                                 std::optional<Instant> now) noexcept = 0;

    /// The same without waiting, in a store's thread too, for a lease that nobody will miss.
    virtual void release_soon(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now) noexcept {
        (void)release(counter, lease_id, now);
    }

    /// Lets a lease that is still held last its full time again, from now. Returns: whether it was held.
    virtual ChangeAnswer renew(const CounterRef& counter, std::uint64_t lease_id,
                               std::optional<Instant> now) noexcept = 0;

    /// Makes the key of this ask as if never used, and lifts its ban.
    virtual ChangeAnswer reset(const Ask& ask) noexcept = 0;

    /// The three above without waiting for an answer from elsewhere: `answer` is written and then `done` called once,
    /// perhaps before this returns. `answer` lives until then; all else only needs to live until this returns.
    virtual void release_async(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now,
                               ChangeAnswer& answer, Completion done) noexcept {
        answer = release(counter, lease_id, now);
        done();
    }
    virtual void renew_async(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now,
                             ChangeAnswer& answer, Completion done) noexcept {
        answer = renew(counter, lease_id, now);
        done();
    }
    virtual void reset_async(const Ask& ask, ChangeAnswer& answer, Completion done) noexcept {
        answer = reset(ask);
        done();
    }

    /// Returns: why this store cannot keep a key of this limit, if it cannot; names the largest possible limit.
    [[nodiscard]] virtual std::optional<std::string> refusal(const Limit& limit) const = 0;

    /// Returns: the store's own time.
    [[nodiscard]] virtual Instant now() const noexcept = 0;
};

}  // namespace stint::inline v0
#pragma GCC visibility pop
