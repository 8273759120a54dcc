#include "engine/evaluation.hpp"

#include <algorithm>

#include "engine/lease_token.hpp"

namespace stint::inline v0::engine {
namespace {

using rules::CompiledRule;

/// Returns: a * b, stopping at kCostMax.
std::uint64_t multiply_cost(std::uint64_t a, std::uint64_t b) noexcept {
    if (a == 0 || b <= kCostMax / a) return a * b;
    return kCostMax;
}

bool lends(std::span<const Ask> asks) noexcept {
    return std::ranges::any_of(asks, [](const Ask& ask) {
        return std::ranges::any_of(
            ask.counters, [](const Counter& counter) { return counter.limit.algorithm() == Algorithm::concurrency; });
    });
}

/// Returns: whether the rule alone would let the check pass.
bool allows(const Ask& ask) noexcept {
    return !ask.banned && std::ranges::all_of(ask.answers, [](const Answer& answer) { return answer.allowed; });
}

/// Returns: whether less remains, as far as it is known.
bool has_less(const LimitDecision& entry, const LimitDecision& other) noexcept {
    const bool known = entry.source != Source::failure_policy;
    if (known != (other.source != Source::failure_policy)) return known;
    return entry.remaining < other.remaining;
}

/// Chooses the limit that is reported: of those that deny the one with the
/// longest wait, else the one with the least remaining; the first of equals.
std::size_t choose_deciding(const Decision& decision, bool only_shadows) noexcept {
    std::size_t best = decision.limits.size();
    for (std::size_t i = 0; i < decision.limits.size(); ++i) {
        const LimitDecision& entry = decision.limits[i];
        if (entry.shadow != only_shadows || (!decision.allowed && entry.allowed)) continue;
        if (best == decision.limits.size()) {
            best = i;
            continue;
        }
        const LimitDecision& so_far = decision.limits[best];
        const bool better = decision.allowed ? has_less(entry, so_far) : entry.retry_after > so_far.retry_after;
        if (better) best = i;
    }
    return best;
}

std::string lease_of(const Decision& decision) {
    LeaseToken token{decision.lease_id, {}};
    for (const LimitDecision& entry : decision.limits) {
        if (entry.limit.algorithm() == Algorithm::concurrency && entry.answer.charged > 0) {
            token.counters.push_back(entry.answer.counter);
        }
    }
    return token.to_string();
}

}  // namespace

void Evaluation::ask(std::span<const Attribute> attributes, std::uint64_t cost, bool peek) {
    compiled().resolve(attributes, request_);
    compiled().match(request_, matches_);
    ask_matches(cost, peek, true);
}

bool Evaluation::ask_rule(std::string_view name, std::span<const Attribute> key, std::uint64_t cost, bool peek) {
    const CompiledRule* rule = compiled().find(name);
    if (rule == nullptr || !compiled().names_key(*rule, key)) return false;
    compiled().resolve(key, request_);
    matches_.assign(1, rule->index);
    ask_matches(cost, peek, false);
    return true;
}

void Evaluation::ask_matches(std::uint64_t cost, bool peek, bool with_overrides) {
    boost::container::small_vector<std::span<const Counter>, 8> counters;
    std::size_t limits = 0;
    for (const std::uint32_t index : matches_) {
        const CompiledRule& rule = compiled().rule(index);
        counters.push_back(with_overrides ? compiled().counters(rule, request_) : std::span{rule.counters});
        limits += counters.back().size();
    }
    // Asks and answers are pointed to: they are given their places at once.
    answers_.resize(limits);
    asks_.reserve(matches_.size());
    ask_of_match_.resize(matches_.size());
    for (const bool shadow : {false, true}) {
        for (std::size_t i = 0; i < matches_.size(); ++i) {
            const CompiledRule& rule = compiled().rule(matches_[i]);
            if (rule.rule->shadow != shadow) continue;
            ask_of_match_[i] = asks_.size();
            add_ask(rule, counters[i], compiled().key_values(rule, request_), multiply_cost(cost, rule.rule->cost));
        }
        if (!shadow) enforced_ = asks_.size();
    }
    add_checks(peek);
}

void Evaluation::ask_declared(std::size_t declared, std::span<const std::string_view> key, std::uint64_t cost,
                              bool peek) {
    const CompiledRule& rule = compiled().rule(snapshot_.declared[declared]);
    matches_.assign(1, rule.index);
    ask_of_match_.assign(1, 0);
    answers_.resize(rule.counters.size());
    add_ask(rule, rule.counters, compiled().key_values(rule, key, request_), multiply_cost(cost, rule.rule->cost));
    enforced_ = rule.rule->shadow ? 0 : 1;
    add_checks(peek);
}

void Evaluation::add_ask(const CompiledRule& rule, std::span<const Counter> counters,
                         std::span<const std::string_view> key, std::uint64_t cost) {
    rules::KeyBuffer* buffer = &first_key_;
    if (key.size() > 1) {  // a single value is its own encoding
        if (first_key_used_) buffer = &more_keys_.emplace_front();
        first_key_used_ = true;
    }
    rule_of_ask_.push_back(&rule);
    Ask& ask = asks_.emplace_back();
    ask.key = compiled().encode_key(key, *buffer);
    ask.rule = rule.rule->name;
    ask.names = rule.rule->key;
    ask.counters = counters;
    ask.ban = rule.ban ? &*rule.ban : nullptr;
    ask.cost = cost;
    if (rule.redis_key) ask.redis_key = redis_keys_.emplace_front(rule.redis_key->render(key));
    ask.deny_cache = rule.rule->deny_cache;
}

void Evaluation::add_checks(bool peek) {
    if (asks_.empty()) return;
    std::size_t used = 0;
    for (Ask& ask : asks_) {
        ask.answers = std::span{answers_}.subspan(used, ask.counters.size());
        used += ask.counters.size();
    }
    const std::uint64_t lease_id = !peek && lends(asks_) ? LeaseToken::random_id() : 0;
    const auto add = [&](std::span<Ask> together) {
        Check& check = checks_.emplace_back();
        check.asks = together;
        check.lease_id = lease_id;
        check.peek = peek;
    };
    const std::span<Ask> all = asks();
    if (enforced_ > 0) add(all.first(enforced_));
    for (std::size_t i = enforced_; i < all.size(); ++i) add(all.subspan(i, 1));
}

void Evaluation::apply(FailurePolicy& policy, std::optional<Instant> now) {
    std::size_t first = 0;  // ask of the check
    for (Check& check : checks_) {
        if (check.error != StoreError::none) {
            boost::container::small_vector<OnStoreFailure, 4> policies;
            source_of_ask_.resize(asks_.size(), Source::store);
            for (std::size_t i = first; i < first + check.asks.size(); ++i) {
                const CompiledRule& rule = *rule_of_ask_[i];
                const OnStoreFailure own = rule.rule->on_store_failure;
                policies.push_back(own);
                source_of_ask_[i] = own == OnStoreFailure::local ? Source::local : Source::failure_policy;
                snapshot_.counters[rule.index]->count(RuleCounters::Event::store_failure);
            }
            const Source source = policy.decide(check, {policies.data(), policies.size()}, now, shares_);
            if (first < enforced_) source_ = source;
        }
        first += check.asks.size();
    }
}

Decision Evaluation::decide() {
    Decision decision;
    if (checks_.empty()) return decision;
    const bool only_shadows = enforced_ == 0;
    const bool peek = checks_[0].peek;
    decision.source = only_shadows ? Source::shadow : source_;
    decision.allowed = only_shadows || checks_[0].allowed;
    decision.lease_id = checks_[0].lease_id;
    decision.limits.reserve(answers_.size());
    for (std::size_t i = 0; i < matches_.size(); ++i) {
        add_limits(decision, compiled().rule(matches_[i]), ask_of_match_[i], peek);
    }
    decision.deciding_index = choose_deciding(decision, only_shadows);
    const LimitDecision& deciding = decision.limits[decision.deciding_index];
    decision.rule = deciding.rule;
    decision.limit = deciding.limit.ceiling();
    decision.remaining = deciding.remaining;
    if (!decision.allowed) {
        for (const LimitDecision& entry : decision.limits) {
            if (!entry.shadow) decision.retry_after = std::max(decision.retry_after, entry.retry_after);
        }
    }
    decision.reset_after = deciding.reset_after;
    if (!peek) decision.ticket.issue();
    if (decision.lease_id != 0) decision.lease = lease_of(decision);
    return decision;
}

void Evaluation::add_limits(Decision& decision, const CompiledRule& rule, std::size_t index, bool peek) const {
    const Ask& ask = asks_[index];
    const Source source = source_of_ask_.empty() ? Source::store : source_of_ask_[index];
    const bool shadow = rule.rule->shadow;
    const bool own_verdict = allows(ask);
    const std::string_view name = snapshot_.counters[rule.index]->name();
    for (std::size_t i = 0; i < ask.answers.size(); ++i) {
        const Answer& answer = ask.answers[i];
        LimitDecision entry{.rule = name,
                            .limit = ask.counters[i].limit,
                            .allowed = answer.allowed,
                            .shadow = shadow,
                            .banned = ask.banned,
                            .source = source,
                            .remaining = answer.remaining,
                            .retry_after = answer.retry_after,
                            .reset_after = answer.reset_after,
                            .answer = answer};
        if (ask.banned_for.count() > 0) {
            // The ban outlasts whatever the limits say; one that this denial
            // started lets nothing pass either.
            if (ask.banned) entry.allowed = false;
            entry.remaining = 0;
            if (!entry.allowed) entry.retry_after = std::max(entry.retry_after, ask.banned_for);
            entry.reset_after = std::max(entry.reset_after, ask.banned_for);
        }
        decision.limits.push_back(std::move(entry));
    }
    if (ask.banned && ask.ban->ban.silent && !shadow) decision.silent = true;
    if (!peek) count(rule, ask, shadow ? own_verdict : decision.allowed);
}

void Evaluation::count(const CompiledRule& rule, const Ask& ask, bool allowed) const {
    using Event = RuleCounters::Event;
    RuleCounters& counters = *snapshot_.counters[rule.index];
    if (allowed) {
        counters.count(Event::allowed);
    } else if (!allows(ask)) {
        counters.count(rule.rule->shadow ? Event::shadow_denied : Event::denied);
        if (ask.banned) counters.count(Event::banned);
        if (ask.from_cache) counters.count(Event::cached_denial);
    }
}

}  // namespace stint::inline v0::engine
