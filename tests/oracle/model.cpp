#include "oracle/model.hpp"

#include <algorithm>

namespace stint::inline v0::oracle {

Model::State& Model::state_of(const Question& question) {
    State& state = states_[{question.rule, question.key}];
    if (state.histories.empty()) {
        for (const LimitSpec& spec : question.limits) state.histories.push_back(History::make(spec));
    }
    return state;
}

std::int64_t Model::banned_for(const State& state, std::int64_t t_us) {
    return std::max<std::int64_t>(state.banned_until - std::max(t_us, state.banned_from), 0);
}

void Model::count_denial(State& state, const Ban& ban, std::int64_t t_us) {
    std::int64_t at = t_us;
    if (t_us < state.denials_until) {
        at = std::max(t_us, state.denials_from);
        ++state.denials;
    } else {
        state.denials_from = t_us;
        state.denials_until = t_us + ban.within.count();
        state.denials = 1;
        state.banned_until = 0;  // a ban that is over is forgotten with its first new denial
    }
    if (state.denials < ban.denials) return;
    state.denials_until = 0;
    state.banned_from = at;
    state.banned_until = at + ban.duration.count();
}

void Model::answer_denied(State& state, const Question& question, RuleReply& reply, std::int64_t t_us, bool peek) {
    bool denies = false;
    for (std::size_t i = 0; i < question.limits.size(); ++i) {
        const LimitSpec& spec = question.limits[i];
        History& history = *state.histories[i];
        const bool allowed = reply.limits[i].allowed;
        denies = denies || !allowed;
        if (spec.count_denied && question.cost > 0 && !peek) {
            history.charge_denied(spec, t_us, question.cost);
            reply.limits[i] = history.look(spec, t_us, question.cost);
            reply.limits[i].allowed = allowed;  // its wait is that after its own charge
        }
    }
    if (question.ban && denies && !peek && reply.banned_for_us == 0) {
        count_denial(state, *question.ban, t_us);
        reply.banned_for_us = banned_for(state, t_us);
    }
}

Verdict Model::check(const std::vector<Question>& questions, std::int64_t t_us, bool peek, std::uint64_t lease_id) {
    Verdict verdict;
    for (const Question& question : questions) {
        State& state = state_of(question);
        RuleReply reply;
        reply.charges.resize(question.limits.size());
        reply.banned_for_us = question.ban ? banned_for(state, t_us) : 0;
        reply.banned = reply.banned_for_us > 0;
        verdict.allowed = verdict.allowed && !reply.banned;
        for (std::size_t i = 0; i < question.limits.size(); ++i) {
            reply.limits.push_back(state.histories[i]->look(question.limits[i], t_us, question.cost));
            verdict.allowed = verdict.allowed && reply.limits.back().allowed;
        }
        verdict.rules.push_back(std::move(reply));
    }
    for (std::size_t q = 0; q < questions.size(); ++q) {
        const Question& question = questions[q];
        State& state = state_of(question);
        RuleReply& reply = verdict.rules[q];
        if (!verdict.allowed) {
            answer_denied(state, question, reply, t_us, peek);
            continue;
        }
        if (peek || question.cost == 0) continue;
        for (std::size_t i = 0; i < question.limits.size(); ++i) {
            History& history = *state.histories[i];
            reply.charges[i] = history.charge(question.limits[i], t_us, question.cost, lease_id);
            reply.limits[i] = history.look(question.limits[i], t_us, 0);
        }
    }
    return verdict;
}

void Model::refund(const Question& question, const RuleReply& reply, std::int64_t t_us) {
    State& state = state_of(question);
    for (std::size_t i = 0; i < question.limits.size(); ++i) {
        if (reply.charges[i].units > 0) state.histories[i]->refund(question.limits[i], t_us, reply.charges[i]);
    }
}

bool Model::release(const Question& question, std::uint64_t lease_id, std::int64_t t_us) {
    bool held = false;
    for (const auto& history : state_of(question).histories) held = history->release(t_us, lease_id) || held;
    return held;
}

bool Model::renew(const Question& question, std::uint64_t lease_id, std::int64_t t_us) {
    State& state = state_of(question);
    bool held = false;
    for (std::size_t i = 0; i < question.limits.size(); ++i) {
        const auto lease = question.limits[i].lease.value_or(Duration{}).count();
        held = state.histories[i]->renew(t_us, lease_id, lease) || held;
    }
    return held;
}

void Model::reset(const Question& question) {
    states_.erase({question.rule, question.key});
}

}  // namespace stint::inline v0::oracle
