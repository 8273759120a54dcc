#include "store/redis/job.hpp"

#include "store/redis/key_name.hpp"

namespace stint::inline v0::store::redis {

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
        ask.banned = false;
        ask.banned_for = Duration{0};
        for (std::size_t i = 0; i < ask.counters.size(); ++i) {
            ask.answers[i].counter = {{0, ask.counters[i].id}, name, !ask.redis_key.empty()};
        }
    }
    job->now = now;
    pack_check(*job);
    return job;
}

void pack_check(Job& job) {
    const Check& check = *job.check;
    job.args.clear();
    const bool single = check.asks.size() == 1 && check.asks[0].counters.size() == 1 && check.asks[0].ban == nullptr;
    if (single && !job.denied_elsewhere) {
        job.script = script_of(check.asks[0].counters[0].limit.algorithm(), !check.asks[0].redis_key.empty());
        job.answer_bytes = kAnswerBytes;
        append_single(check, job.now, job.args);
        return;
    }
    job.script = ScriptId::together;
    job.answer_bytes = 0;
    for (const Ask& ask : check.asks) job.answer_bytes += kAskBytes + ask.counters.size() * kAnswerBytes;
    append_together(check, job.now, job.args);
    if (job.denied_elsewhere) job.args[0] = static_cast<char>(Mode::deny);
}

JobPtr make_change_job(const std::string& key, std::string args, std::optional<std::int64_t> time) {
    auto job = std::make_unique<Job>();
    job->script = ScriptId::change;
    job->time = time;
    job->keys.push_back(key);
    job->args = std::move(args);
    return job;
}

JobPtr make_refund_job(const Limit& limit, const Answer& answer, std::uint64_t lease_id,
                       std::optional<std::int64_t> time) {
    std::string args;
    if (limit.algorithm() == Algorithm::concurrency) {
        append_lease_change(answer.counter.digest.low, Change::release, lease_id, args);
    } else {
        append_refund(limit, answer, args);
    }
    return make_change_job(*answer.counter.key, std::move(args), time);
}

}  // namespace stint::inline v0::store::redis
