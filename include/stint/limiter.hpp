// The front door: attributes in, decision out.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stint/decision.hpp"
#include "stint/memory_store.hpp"
#include "stint/rule.hpp"
#include "stint/store.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

struct CheckOptions {
    std::uint64_t cost = 1;        ///< units; 0 looks without consuming
    std::optional<Instant> now{};  ///< none: the store's clock
};

/// One question of a batch.
struct Request {
    std::span<const Attribute> attributes{};
    std::uint64_t cost = 1;
};

/// For stores that can fail.
struct LimiterOptions {
    /// How many servers share the store: while it fails, a rule whose policy is
    /// `local` is decided in memory with this part of its numbers, rounded up. At least 1.
    std::uint64_t instances = 1;
    /// Where that is counted. Small pages: it is first touched in an outage, by the store's thread, which all
    /// checks wait for; a big page takes up to 25 ms on a virtual machine.
    MemoryStoreOptions local{.max_memory = std::size_t{64} << 20, .huge_pages = false};
};

/// A rule that code has declared, found again without its name. A small value, good for the limiter that gave it.
class RuleHandle {
public:
    RuleHandle() = default;  ///< no rule
    friend bool operator==(const RuleHandle&, const RuleHandle&) = default;

private:
    friend class Limiter;
    RuleHandle(std::uint32_t limiter, std::uint32_t place) noexcept : limiter_(limiter), place_(place) {}

    std::uint32_t limiter_ = 0;
    std::uint32_t place_ = 0;
};

/// Takes the decision of an asynchronous check.
using DecisionHandler = std::function<void(Decision)>;
/// Takes the answer of an asynchronous release, renewal or reset.
using ChangeHandler = std::function<void(ChangeAnswer)>;

/// Counted since the limiter's start, also across reloads.
struct RuleStats {
    std::string_view rule;
    std::uint64_t allowed = 0;
    std::uint64_t denied = 0;          ///< including banned
    std::uint64_t shadow_denied = 0;   ///< would have been denied, had the rule not been a shadow
    std::uint64_t banned = 0;          ///< denied by a ban
    std::uint64_t store_failures = 0;  ///< decided by the rule's on_store_failure
    std::uint64_t cached_denials = 0;  ///< denied, also as a shadow, without asking the store again
};

/// Decides requests by rules, on a store that must outlive it.
/// Threads: all functions may be called from any number of threads.
class Limiter {
public:
    /// Errors: throws ConfigError if the store cannot keep a key of one of the limits, or `instances` is 0.
    Limiter(Store& store, RuleSet rules, const LimiterOptions& options = {});
    /// Waits for what is still to be answered, and for its handlers. Not to be called by a handler.
    ~Limiter();

    /// Asks every rule that applies, in one atomic step. Never throws for what
    /// a request contains. With several attributes of one name the first counts.
    [[nodiscard]] Decision check(std::span<const Attribute> attributes, CheckOptions options = {});
    [[nodiscard]] Decision check(std::initializer_list<Attribute> attributes, CheckOptions options = {});

    /// Says what check() would decide, and changes nothing: `remaining` is what
    /// is left now, and no denial is counted into the waits.
    [[nodiscard]] Decision peek(std::span<const Attribute> attributes, CheckOptions options = {});
    [[nodiscard]] Decision peek(std::initializer_list<Attribute> attributes, CheckOptions options = {});

    /// Many checks with one look at the clock and one call of the store.
    [[nodiscard]] std::vector<Decision> check_batch(std::span<const Request> requests,
                                                    std::optional<Instant> now = std::nullopt);

    /// Puts a rule in force that code declares, also across reloads. A rule of the same name that was or will be given
    /// to the constructor or to reload() takes its place, if it counts by the same attributes; one that is declared as
    /// `_1`, `_2` and so on may have any name there. The same rule can be declared any number of times.
    /// Cost: that of reload(), which it is to all that runs; several at once cost as much as one.
    /// Errors: throws ConfigError if a rule cannot be, or is not as it was declared before; then nothing changes.
    RuleHandle declare(const Rule& rule);
    std::vector<RuleHandle> declare(std::span<const Rule> rules);

    /// Returns: whether this limiter's declare() gave the handle.
    [[nodiscard]] bool gave(RuleHandle rule) const noexcept;

    /// Asks a declared rule alone, with its own numbers, whatever its `match` says.
    /// Requires: declare() of this limiter gave `rule`; one value in `key` for each attribute of its key, in that
    /// order.
    [[nodiscard]] Decision check(RuleHandle rule, std::span<const std::string_view> key, CheckOptions options = {});
    [[nodiscard]] Decision peek(RuleHandle rule, std::span<const std::string_view> key, CheckOptions options = {});

    /// Asks one rule about one key, with the rule's own numbers, whatever its
    /// `match` says. Returns: nothing if there is no such rule, or if `key` does
    /// not name exactly the attributes of the rule's key.
    [[nodiscard]] std::optional<Decision> check_rule(std::string_view rule, std::span<const Attribute> key,
                                                     CheckOptions options = {});
    [[nodiscard]] std::optional<Decision> peek_rule(std::string_view rule, std::span<const Attribute> key,
                                                    CheckOptions options = {});

    /// The same without waiting for the store: `done` is called once, perhaps
    /// before this returns, otherwise from a thread of the store, which it must
    /// not block. The bytes of the attributes are copied where they are needed longer.
    void check_async(std::span<const Attribute> attributes, CheckOptions options, DecisionHandler done);
    void peek_async(std::span<const Attribute> attributes, CheckOptions options, DecisionHandler done);
    void check_async(RuleHandle rule, std::span<const std::string_view> key, CheckOptions options,
                     DecisionHandler done);
    /// Returns: as check_rule, whether rule and key exist; if not, `done` is not called.
    [[nodiscard]] bool check_rule_async(std::string_view rule, std::span<const Attribute> key, CheckOptions options,
                                        DecisionHandler done);
    [[nodiscard]] bool peek_rule_async(std::string_view rule, std::span<const Attribute> key, CheckOptions options,
                                       DecisionHandler done);

    /// Gives back what this decision consumed. Works once for each decision;
    /// what belongs to a window or moment that is gone is not given back.
    /// Returns: whether the decision still had something to give back.
    bool refund(Decision& decision, std::optional<Instant> now = std::nullopt);

    /// Ends what Decision::lease names. Idempotent.
    /// Returns: whether it was held; not for text that is no lease. Errors: in the answer, if the store failed.
    ChangeAnswer release(std::string_view lease, std::optional<Instant> now = std::nullopt);
    /// Lets it last its full time again, from now. Returns: whether it was held. Errors: as release().
    ChangeAnswer renew(std::string_view lease, std::optional<Instant> now = std::nullopt);

    /// Makes a key as if never used and lifts its ban. Returns: as check_rule, whether rule and key exist.
    /// Errors: in the answer, if the store failed.
    ChangeAnswer reset(std::string_view rule, std::span<const Attribute> key);

    /// The three above without waiting for the store: `done` is called as that of check_async().
    void release_async(std::string_view lease, std::optional<Instant> now, ChangeHandler done);
    void renew_async(std::string_view lease, std::optional<Instant> now, ChangeHandler done);
    /// Returns: as check_rule_async.
    [[nodiscard]] bool reset_async(std::string_view rule, std::span<const Attribute> key, ChangeHandler done);

    /// Puts other rules in force beside the declared ones, at once for every later check. Counters are
    /// kept wherever rule name, key and kind of limit stay the same. Waits for checks in memory that go by the old
    /// rules; what checks in a store elsewhere still go by is freed with the next reload.
    /// Errors: as the constructor; then the old rules stay in force.
    void reload(RuleSet rules);

    /// Returns: whether checks wait for a store elsewhere, which may fail.
    [[nodiscard]] bool store_can_fail() const noexcept;

    /// Returns: the rules in force, declared ones last.
    [[nodiscard]] RuleSet rules() const;

    /// Returns: the counters of every rule that was ever in force, in order of first appearance.
    [[nodiscard]] std::vector<RuleStats> stats() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace stint::inline v0
#pragma GCC visibility pop
