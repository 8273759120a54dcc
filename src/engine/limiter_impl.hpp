// What stands behind a Limiter: the rules in force, the store, and checks on
// their way between them. Include in .cpp files only.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/declared_rules.hpp"
#include "engine/evaluation.hpp"
#include "engine/failure_policy.hpp"
#include "engine/lease_token.hpp"
#include "engine/pending_change.hpp"
#include "engine/published.hpp"
#include "engine/rule_counters.hpp"
#include "stint/limiter.hpp"

namespace stint::inline v0 {

class Limiter::Impl {
    using Evaluation = engine::Evaluation;
    using Join = engine::Join;
    using LeaseToken = engine::LeaseToken;
    using PendingChange = engine::PendingChange;
    using Snapshot = engine::Snapshot;

public:
    enum class LeaseChange : std::uint8_t { release, renew };

    Impl(Store& store, RuleSet rules, const LimiterOptions& options)
        : store_(store),
          policy_(make_policy(store, options)),
          file_(std::move(rules)),
          snapshot_(make_snapshot(file_, declared_)) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() { pending_.wait_for_none(); }

    Decision check(std::span<const Attribute> attributes, const CheckOptions& options, bool peek) {
        return with_rules([&](const Snapshot& snapshot) {
            Evaluation evaluation{snapshot};
            evaluation.ask(attributes, options.cost, peek);
            if (!evaluation.checks().empty()) store_.decide(evaluation.checks(), options.now);
            return decide(evaluation, options.now);
        });
    }

    void check_async(std::span<const Attribute> attributes, const CheckOptions& options, bool peek,
                     DecisionHandler done) {
        auto pending = std::make_unique<Pending>(*this, options, std::move(done));
        pending->evaluation.ask(pending->keep(attributes), options.cost, peek);
        Pending::start(std::move(pending));
    }

    void check_async(std::size_t declared, std::span<const std::string_view> key, const CheckOptions& options,
                     DecisionHandler done) {
        auto pending = std::make_unique<Pending>(*this, options, std::move(done));
        pending->evaluation.ask_declared(declared, pending->keep(key), options.cost, false);
        Pending::start(std::move(pending));
    }

    bool check_rule_async(std::string_view rule, std::span<const Attribute> key, const CheckOptions& options, bool peek,
                          DecisionHandler done) {
        auto pending = std::make_unique<Pending>(*this, options, std::move(done));
        if (!pending->evaluation.ask_rule(rule, pending->keep(key), options.cost, peek)) return false;
        Pending::start(std::move(pending));
        return true;
    }

    std::vector<Decision> check_batch(std::span<const Request> requests, std::optional<Instant> now) {
        return with_rules([&](const Snapshot& snapshot) { return check_batch(snapshot, requests, now); });
    }

    std::vector<Decision> check_batch(const Snapshot& snapshot, std::span<const Request> requests,
                                      std::optional<Instant> now) {
        std::deque<Evaluation> evaluations;
        std::vector<Check> checks;
        for (const Request& request : requests) {
            Evaluation& evaluation = evaluations.emplace_back(snapshot);
            evaluation.ask(request.attributes, request.cost, false);
            checks.insert(checks.end(), evaluation.checks().begin(), evaluation.checks().end());
        }
        if (!checks.empty()) store_.decide(checks, now);

        std::vector<Decision> decisions;
        decisions.reserve(requests.size());
        auto next = checks.begin();
        for (Evaluation& evaluation : evaluations) {
            for (Check& check : evaluation.checks()) check = *next++;
            decisions.push_back(decide(evaluation, now));
        }
        return decisions;
    }

    std::optional<Decision> check_rule(std::string_view rule, std::span<const Attribute> key,
                                       const CheckOptions& options, bool peek) {
        return with_rules([&](const Snapshot& snapshot) -> std::optional<Decision> {
            Evaluation evaluation{snapshot};
            if (!evaluation.ask_rule(rule, key, options.cost, peek)) return std::nullopt;
            store_.decide(evaluation.checks(), options.now);
            return decide(evaluation, options.now);
        });
    }

    Decision check(std::size_t declared, std::span<const std::string_view> key, const CheckOptions& options,
                   bool peek) {
        return with_rules([&](const Snapshot& snapshot) {
            Evaluation evaluation{snapshot};
            evaluation.ask_declared(declared, key, options.cost, peek);
            store_.decide(evaluation.checks(), options.now);
            return decide(evaluation, options.now);
        });
    }

    bool refund(Decision& decision, std::optional<Instant> now) {
        if (!decision.ticket.redeem()) return false;
        bool charged = false;
        for (const LimitDecision& entry : decision.limits) {
            if (entry.answer.charged == 0) continue;
            store_of(entry.answer.counter).refund(entry.limit, entry.answer, decision.lease_id, now);
            charged = true;
        }
        return charged;
    }

    ChangeAnswer change_lease(std::string_view lease, LeaseChange what, std::optional<Instant> now) {
        const auto token = LeaseToken::parse(lease);
        if (!token) return {};
        std::vector<ChangeAnswer> answers;
        for (const CounterRef& counter : token->counters) {
            Store& store = store_of(counter);
            answers.push_back(what == LeaseChange::release ? store.release(counter, token->id, now)
                                                           : store.renew(counter, token->id, now));
        }
        return engine::join(answers, join_of(what));
    }

    void change_lease_async(std::string_view lease, LeaseChange what, std::optional<Instant> now, ChangeHandler done) {
        const auto token = LeaseToken::parse(lease);
        if (!token) return done({});
        const std::size_t count = token->counters.size();
        auto* change = new PendingChange{pending_, count, join_of(what), std::move(done)};
        for (std::size_t i = 0; i < count; ++i) {  // it may be gone after the last
            const CounterRef& counter = token->counters[i];
            Store& store = store_of(counter);
            if (what == LeaseChange::release) {
                store.release_async(counter, token->id, now, change->answer(i), change->completion());
            } else {
                store.renew_async(counter, token->id, now, change->answer(i), change->completion());
            }
        }
    }

    ChangeAnswer reset(std::string_view rule, std::span<const Attribute> key) {
        return with_rules([&](const Snapshot& snapshot) -> ChangeAnswer {
            Evaluation evaluation{snapshot};
            if (!evaluation.ask_rule(rule, key, 0, true)) return {};
            if (policy_) policy_->local().reset(evaluation.asks()[0]);
            return store_.reset(evaluation.asks()[0]);
        });
    }

    bool reset_async(std::string_view rule, std::span<const Attribute> key, ChangeHandler done) {
        const auto snapshot = snapshot_.keep();  // the handler may put other rules in force
        Evaluation evaluation{*snapshot};
        if (!evaluation.ask_rule(rule, key, 0, true)) return false;
        if (policy_) policy_->local().reset(evaluation.asks()[0]);
        auto* change = new PendingChange{pending_, 1, Join::any, std::move(done)};
        store_.reset_async(evaluation.asks()[0], change->answer(0), change->completion());
        return true;
    }

    void reload(RuleSet rules) {
        const std::lock_guard lock{changing_rules_};
        snapshot_.replace(make_snapshot(rules, declared_));
        file_ = std::move(rules);
    }

    std::vector<std::uint32_t> declare(std::span<const Rule> rules) {
        const std::lock_guard lock{changing_rules_};
        engine::DeclaredRules all = declared_;
        const std::size_t before = all.size();
        std::vector<std::uint32_t> places = all.add(rules);
        if (all.size() > before) snapshot_.replace(make_snapshot(file_, all));
        declared_ = std::move(all);
        return places;
    }

    [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
    [[nodiscard]] bool store_can_fail() const noexcept { return policy_ != nullptr; }
    RuleSet rules() { return snapshot_.read()->rules; }
    std::vector<RuleStats> stats() const { return book_.stats(); }

private:
    /// Of the counters of a lease.
    static constexpr Join join_of(LeaseChange what) noexcept {
        return what == LeaseChange::release ? Join::any : Join::all;
    }

    /// A check on its way to the store and back, with all that it points to.
    struct Pending {
        Pending(Impl& limiter, const CheckOptions& options, DecisionHandler handler)
            : impl(limiter),
              snapshot(limiter.snapshot_.keep()),
              evaluation(*snapshot),
              now(options.now),
              done(std::move(handler)) {}

        /// Copies the caller's bytes, once. Returns: the same, as long as this lives.
        std::span<const Attribute> keep(std::span<const Attribute> given) {
            std::size_t size = 0;
            for (const Attribute& attribute : given) size += attribute.name.size() + attribute.value.size();
            bytes.reserve(size);
            for (const Attribute& attribute : given) {
                const std::string_view name = append(attribute.name);
                attributes.push_back({name, append(attribute.value)});
            }
            return attributes;
        }
        std::span<const std::string_view> keep(std::span<const std::string_view> given) {
            std::size_t size = 0;
            for (const std::string_view value : given) size += value.size();
            bytes.reserve(size);
            for (const std::string_view value : given) values.push_back(append(value));
            return values;
        }
        /// Requires: `bytes` has room.
        std::string_view append(std::string_view text) {
            bytes.append(text);
            return std::string_view{bytes}.substr(bytes.size() - text.size());
        }

        static void start(std::unique_ptr<Pending> pending) {
            const std::span<Check> checks = pending->evaluation.checks();
            if (checks.empty()) {
                pending->impl.pending_.begin();
                return finish(pending.release());
            }
            Pending* kept = pending.release();
            kept->impl.pending_.begin();
            kept->impl.store_.decide_async(checks, kept->now, {&finish, kept});
        }
        static void finish(void* context) noexcept {
            std::unique_ptr<Pending> self{static_cast<Pending*>(context)};
            Impl& impl = self->impl;
            {
                Decision decision = impl.decide(self->evaluation, self->now);
                const DecisionHandler handler = std::move(self->done);
                self.reset();
                handler(std::move(decision));
            }
            impl.pending_.end();
        }

        Impl& impl;
        std::shared_ptr<const Snapshot> snapshot;
        Evaluation evaluation;
        std::string bytes;
        std::vector<Attribute> attributes;
        std::vector<std::string_view> values;
        std::optional<Instant> now;
        DecisionHandler done;
    };

    /// Calls `use` with the rules in force. A store elsewhere may take long: no reload waits for it, which a handler in
    /// the store's own thread may have begun.
    template <typename Use>
    std::invoke_result_t<Use, const Snapshot&> with_rules(const Use& use) {
        if (policy_ == nullptr) return use(*snapshot_.read());
        return use(*snapshot_.keep());
    }

    Decision decide(Evaluation& evaluation, std::optional<Instant> now) {
        if (policy_) {
            release_unknown(evaluation, now);
            evaluation.apply(*policy_, now);
        }
        Decision decision = evaluation.decide();
        if (!decision.allowed && !decision.lease.empty()) {
            // A shadow lent what the denied request will not use.
            const auto token = LeaseToken::parse(decision.lease);
            for (const CounterRef& counter : token->counters) store_of(counter).release_soon(counter, token->id, now);
            decision.lease.clear();
        }
        return decision;
    }

    /// A check that was not answered may have been counted all the same: a lease that nobody knows of would stay
    /// taken until it ends.
    void release_unknown(Evaluation& evaluation, std::optional<Instant> now) {
        for (const Check& check : evaluation.checks()) {
            if (check.error == StoreError::none || check.lease_id == 0) continue;
            for (const Ask& ask : check.asks) {
                for (std::size_t i = 0; i < ask.counters.size(); ++i) {
                    if (ask.counters[i].limit.algorithm() != Algorithm::concurrency) continue;
                    store_.release_soon(ask.answers[i].counter, check.lease_id, now);
                }
            }
        }
    }

    static std::unique_ptr<engine::FailurePolicy> make_policy(const Store& store, const LimiterOptions& options) {
        if (options.instances == 0) throw ConfigError{{Problem{"", 0, 0, "instances: at least 1"}}};
        return store.can_fail() ? std::make_unique<engine::FailurePolicy>(options) : nullptr;
    }

    /// Returns: where a counter lives. What a store that can fail has counted has a key there.
    Store& store_of(const CounterRef& counter) noexcept {
        return policy_ && counter.key == nullptr ? policy_->local() : store_;
    }

    std::shared_ptr<const Snapshot> make_snapshot(const RuleSet& file, const engine::DeclaredRules& declared) {
        auto snapshot = std::make_shared<Snapshot>();
        snapshot->rules = declared.beside(file);
        require_store_keeps(snapshot->rules);
        for (const Rule& rule : snapshot->rules.rules()) snapshot->counters.push_back(&book_.of(rule.name));
        snapshot->declared = declared.places_in(snapshot->rules);
        return snapshot;
    }

    /// Returns: a number that no other limiter of the process has.
    static std::uint32_t next_number() noexcept {
        static std::atomic<std::uint32_t> last{0};
        return ++last;
    }

    /// Errors: throws ConfigError if the store cannot keep a key of one of the limits.
    void require_store_keeps(const RuleSet& rules) const {
        std::vector<Problem> problems;
        for (const Rule& rule : rules.rules()) {
            const auto check = [&](const Limit& limit) {
                auto reason = store_.refusal(limit);
                if (!reason && policy_ && rule.on_store_failure == OnStoreFailure::local) {
                    reason = policy_->refusal(limit);
                }
                if (reason) problems.push_back({"", 0, 0, "rule " + rule.name + ": " + *reason});
            };
            for (const Limit& limit : rule.limits) check(limit);
            for (const Override& other : rule.overrides) {
                for (const Limit& limit : other.limits) check(limit);
            }
        }
        if (!problems.empty()) throw ConfigError{std::move(problems)};
    }

    Store& store_;
    std::unique_ptr<engine::FailurePolicy> policy_;  // null: the store cannot fail
    const std::uint32_t number_ = next_number();     // tells its handles from those of others
    engine::RuleCounterBook book_;
    std::mutex changing_rules_;
    RuleSet file_;                    // as the constructor or the last reload was given them
    engine::DeclaredRules declared_;  // beside them
    engine::Published<Snapshot> snapshot_;
    engine::PendingCount pending_;  // asynchronous checks and changes that are not answered yet
};

}  // namespace stint::inline v0
