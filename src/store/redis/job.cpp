#include "store/redis/job.hpp"

#include "store/redis/key_name.hpp"

namespace stint::store::redis {

bool Job::can_merge() const noexcept {
    if (!is_single(script) || check == nullptr || check->peek) return false;
    const Ask& ask = check->asks[0];
    const Limit& limit = ask.counters[0].limit;
    // A denial that is counted changes what the next one is told.
    return ask.cost > 0 && !limit.count_denied() && limit.algorithm() != Algorithm::concurrency;
}

JobPtr make_check_job(const KeyNames& names, Check& check, std::optional<std::int64_t> time, std::int64_t now) {
    auto job = std::make_unique<Job>();
    job->check = &check;
    job->time = time;
    check.error = StoreError::none;
    for (Ask& ask : check.asks) {
        auto name = std::make_shared<const std::string>(names.name_of(ask));
        job->keys.push_back(*name);
        job->answer_bytes += kAskBytes + ask.counters.size() * kAnswerBytes;
        ask.banned = false;
        ask.banned_for = Duration{0};
        for (std::size_t i = 0; i < ask.counters.size(); ++i) {
            ask.answers[i].counter = {{0, ask.counters[i].id}, name};
        }
    }
    const bool single = check.asks.size() == 1 && check.asks[0].counters.size() == 1 && check.asks[0].ban == nullptr;
    if (single) {
        job->script = script_of(check.asks[0].counters[0].limit.algorithm());
        job->answer_bytes = kAnswerBytes;
        append_single(check, now, job->args);
    } else {
        job->script = ScriptId::together;
        append_together(check, now, job->args);
    }
    return job;
}

}  // namespace stint::store::redis
