#include "oracle/subject.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>

namespace stint::inline v0::oracle {
namespace {

Instant instant(std::int64_t t_us) {
    return Instant{Duration{t_us}};
}

const std::vector<std::string> kKeyNames{"key"};

std::vector<Counter> counters_of(const Question& question) {
    std::vector<Counter> counters;
    for (const LimitSpec& spec : question.limits) {
        const Limit limit = Limit::make(spec);
        counters.push_back({limit, std::hash<std::string>{}(question.rule + '\n' + limit.kind())});
    }
    return counters;
}

BanCounter ban_of(const Question& question) {
    return {question.ban.value_or(Ban{}), std::hash<std::string>{}(question.rule + "\nban")};
}

}  // namespace

SubjectVerdict Subject::check(const std::vector<Question>& questions, std::int64_t t_us, bool peek,
                              std::uint64_t lease_id) {
    SubjectVerdict result;
    std::vector<std::vector<Counter>> counters;
    std::vector<BanCounter> bans;
    for (const Question& question : questions) {
        counters.push_back(counters_of(question));
        bans.push_back(ban_of(question));
        result.answers.emplace_back(question.limits.size());
    }
    std::vector<Ask> asks(questions.size());
    for (std::size_t i = 0; i < questions.size(); ++i) {
        asks[i].key = questions[i].key;
        asks[i].rule = questions[i].rule;
        asks[i].names = kKeyNames;
        asks[i].counters = counters[i];
        asks[i].ban = questions[i].ban ? &bans[i] : nullptr;
        asks[i].cost = std::min(questions[i].cost, kCostMax);
        asks[i].answers = result.answers[i];
    }
    Check check;
    check.asks = asks;
    check.lease_id = lease_id;
    check.peek = peek;
    store_.decide({&check, 1}, instant(t_us));
    if (check.error != StoreError::none) {
        throw std::runtime_error{std::string{"the store failed: "} + to_string(check.error)};
    }

    result.verdict.allowed = check.allowed;
    for (const Ask& ask : asks) {
        RuleReply reply;
        reply.banned_for_us = ask.banned_for.count();
        for (const Answer& answer : ask.answers) {
            reply.limits.push_back(
                {answer.allowed, answer.remaining, answer.retry_after.count(), answer.reset_after.count()});
        }
        result.verdict.rules.push_back(std::move(reply));
    }
    return result;
}

void Subject::refund(const Question& question, const std::vector<Answer>& answers, std::uint64_t lease_id,
                     std::int64_t t_us) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i].charged == 0) continue;
        store_.refund(Limit::make(question.limits[i]), answers[i], lease_id, instant(t_us));
    }
}

bool Subject::release(const Question& question, const std::vector<Answer>& answers, std::uint64_t lease_id,
                      std::int64_t t_us) {
    bool held = false;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (question.limits[i].algorithm != Algorithm::concurrency) continue;
        held = store_.release(answers[i].counter, lease_id, instant(t_us)) || held;
    }
    return held;
}

bool Subject::renew(const Question& question, const std::vector<Answer>& answers, std::uint64_t lease_id,
                    std::int64_t t_us) {
    bool held = false;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (question.limits[i].algorithm != Algorithm::concurrency) continue;
        held = store_.renew(answers[i].counter, lease_id, instant(t_us)) || held;
    }
    return held;
}

void Subject::reset(const Question& question) {
    const std::vector<Counter> counters = counters_of(question);
    const BanCounter ban = ban_of(question);
    Ask ask;
    ask.key = question.key;
    ask.rule = question.rule;
    ask.names = kKeyNames;
    ask.counters = counters;
    ask.ban = question.ban ? &ban : nullptr;
    store_.reset(ask);
}

}  // namespace stint::inline v0::oracle
