// One request on its way from attributes to decision: which rules apply, what
// the store is asked, and what its answers come to. Between ask() and decide()
// stands one call of the store, for one request or for many.
// Threads: one at a time.
#pragma once

#include <boost/container/small_vector.hpp>
#include <forward_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/failure_policy.hpp"
#include "engine/rule_counters.hpp"
#include "rules/compiled_rules.hpp"
#include "stint/decision.hpp"
#include "stint/limiter.hpp"

namespace stint::inline v0::engine {

/// The rules in force, with what the engine keeps beside each.
struct Snapshot : std::enable_shared_from_this<Snapshot> {
    RuleSet rules;
    std::vector<RuleCounters*> counters;  // in the order of the rules
    std::vector<std::uint32_t> declared;  // the index of each declared rule, in the order of their declaration
};

class Evaluation {
public:
    explicit Evaluation(const Snapshot& snapshot) noexcept : snapshot_(snapshot) {}
    Evaluation(const Evaluation&) = delete;
    Evaluation& operator=(const Evaluation&) = delete;
    ~Evaluation() = default;

    /// Asks all rules that apply to these attributes.
    void ask(std::span<const Attribute> attributes, std::uint64_t cost, bool peek);
    /// Asks one rule, with its own numbers. Returns: whether rule and key exist.
    [[nodiscard]] bool ask_rule(std::string_view rule, std::span<const Attribute> key, std::uint64_t cost, bool peek);
    /// Asks a declared rule, with its own numbers. Requires: it is declared; one value for each attribute of its key.
    void ask_declared(std::size_t declared, std::span<const std::string_view> key, std::uint64_t cost, bool peek);

    /// Returns: what the store must decide: the enforced rules together, each shadow on its own.
    [[nodiscard]] std::span<Check> checks() noexcept { return {checks_.data(), checks_.size()}; }
    /// Returns: what was asked, enforced rules first.
    [[nodiscard]] std::span<Ask> asks() noexcept { return {asks_.data(), asks_.size()}; }

    /// Decides by policy what the store could not decide.
    void apply(FailurePolicy& policy, std::optional<Instant> now);

    /// Returns: the decision. Requires: the store has decided the checks, or apply() did.
    [[nodiscard]] Decision decide();

private:
    [[nodiscard]] const rules::CompiledRules& compiled() const noexcept { return snapshot_.rules.compiled(); }

    void ask_matches(std::uint64_t cost, bool peek, bool with_overrides);
    void add_ask(const rules::CompiledRule& rule, std::span<const Counter> counters,
                 std::span<const std::string_view> key, std::uint64_t cost);
    void add_checks(bool peek);
    void add_limits(Decision& decision, const rules::CompiledRule& rule, std::size_t index, bool peek) const;
    void count(const rules::CompiledRule& rule, const Ask& ask, bool allowed) const;

    const Snapshot& snapshot_;
    rules::ResolvedRequest request_;
    rules::MatchList matches_;
    boost::container::small_vector<std::size_t, 8> ask_of_match_;
    boost::container::small_vector<Ask, 4> asks_;
    boost::container::small_vector<const rules::CompiledRule*, 4> rule_of_ask_;
    boost::container::small_vector<Answer, 8> answers_;
    boost::container::small_vector<Check, 4> checks_;
    rules::KeyBuffer first_key_;
    std::forward_list<rules::KeyBuffer> more_keys_;
    bool first_key_used_ = false;
    std::forward_list<std::string> redis_keys_;
    std::size_t enforced_ = 0;  // asks of rules that are no shadows
    Source source_ = Source::store;
    boost::container::small_vector<Source, 4> source_of_ask_;  // empty: all from the store
    std::forward_list<std::vector<Counter>> shares_;           // the limits of asks that were decided locally
};

}  // namespace stint::inline v0::engine
