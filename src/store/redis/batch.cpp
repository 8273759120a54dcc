#include "store/redis/batch.hpp"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <utility>

#include "resp/writer.hpp"

namespace stint::store::redis {
namespace {

/// Keys of one call: at 5 us each a call keeps a server busy for less than a millisecond.
constexpr std::size_t kKeysMax = 128;

void finish_check(Job& job, bool allowed) {
    job.check->allowed = allowed;
    job.finish();
}

/// Asks with the windows of a calendar around the server's time, once.
void ask_again(JobPtr job, std::int64_t server_now, std::deque<JobPtr>& again) {
    if (std::exchange(job->asked_again, true)) return job->finish(StoreError::unavailable);
    job->args.clear();
    if (is_single(job->script)) {
        append_single(*job->check, server_now, job->args);
    } else {
        append_together(*job->check, server_now, job->args);
    }
    again.push_back(std::move(job));
}

}  // namespace

void Call::write(std::string_view sha, std::string& out) const {
    std::vector<std::string_view> words{"EVALSHA", sha, {}};
    std::deque<std::string> args;  // stay where they are
    for (const Question& question : questions_) {
        const Job& job = *question.jobs.front();
        words.insert(words.end(), job.keys.begin(), job.keys.end());
        std::string& text = args.emplace_back(job.args);
        if (!is_single(script_)) continue;
        std::string count;
        append_number(count, question.jobs.size(), kCountBytes);
        text.replace(kCountAt, kCountBytes, count);
    }
    const std::string key_count = std::to_string(words.size() - 3);
    words[2] = key_count;
    const std::string time = time_ ? std::to_string(*time_) : std::string{};
    words.push_back(time);
    words.insert(words.end(), args.begin(), args.end());
    resp::Writer{out}.command(words);
}

void Call::deliver(std::string_view reply, std::deque<JobPtr>& again) {
    const auto now = reply.size() < kTimeBytes ? 0 : static_cast<std::int64_t>(read_number(reply, 0, kTimeBytes));
    std::size_t at = kTimeBytes;
    for (Question& question : questions_) {
        const std::string_view answer = reply.substr(std::min(at, reply.size()), question.jobs[0]->answer_bytes);
        at += question.jobs[0]->answer_bytes;
        if (answer.size() < question.jobs[0]->answer_bytes) {
            for (JobPtr& job : question.jobs) {
                if (!job->done()) job->finish(StoreError::refused);
            }
        } else if (is_single(script_)) {
            deliver_single(question, answer, now, again);
        } else if (!question.jobs[0]->done()) {
            deliver_together(std::move(question.jobs[0]), answer, now, again);
        }
    }
}

void Call::deliver_single(Question& question, std::string_view bytes, std::int64_t now, std::deque<JobPtr>& again) {
    const LimitAnswer answer = read_answer(bytes, 0);
    for (std::uint32_t i = 0; i < question.jobs.size(); ++i) {
        JobPtr& job = question.jobs[i];
        if (job->done()) continue;
        if (answer.granted == kFailed) {
            job->finish(StoreError::refused);
        } else if (answer.granted == kAskAgain) {
            ask_again(std::move(job), now, again);
        } else {
            Ask& ask = job->check->asks[0];
            fill_answer(ask.counters[0].limit, answer,
                        {.now = now, .cost = ask.cost, .index = i, .took = !job->check->peek}, ask.answers[0]);
            finish_check(*job, ask.answers[0].allowed);
        }
    }
}

void Call::deliver_together(JobPtr job, std::string_view bytes, std::int64_t now, std::deque<JobPtr>& again) {
    Check& check = *job->check;
    const std::uint32_t first = read_answer(bytes, kAskBytes).granted;
    if (first == kFailed) return job->finish(StoreError::refused);
    if (first == kAskAgain) return ask_again(std::move(job), now, again);
    bool allowed = true;
    std::size_t at = 0;
    for (Ask& ask : check.asks) {
        ask.banned = read_number(bytes, at, 1) != 0;
        ask.banned_for = Duration{static_cast<std::int64_t>(read_number(bytes, at + 1, kTimeBytes))};
        allowed = allowed && !ask.banned;
        at += kAskBytes;
        for (std::size_t i = 0; i < ask.counters.size(); ++i, at += kAnswerBytes) {
            allowed = allowed && read_answer(bytes, at).granted > 0;
        }
    }
    at = 0;
    for (Ask& ask : check.asks) {
        at += kAskBytes;
        for (std::size_t i = 0; i < ask.counters.size(); ++i, at += kAnswerBytes) {
            const Limit& limit = ask.counters[i].limit;
            const bool charged_denied = !allowed && !check.peek && ask.cost > 0 && limit.count_denied();
            fill_answer(limit, read_answer(bytes, at),
                        {.now = now,
                         .cost = ask.cost,
                         .index = 0,
                         .took = allowed && !check.peek,
                         .charged_denied = charged_denied},
                        ask.answers[i]);
        }
    }
    finish_check(*job, allowed);
}

void Call::deliver(std::int64_t reply) {
    Job& job = *questions_[0].jobs[0];
    if (job.done()) return;
    job.change->held = reply != 0;
    job.finish();
}

void Call::fail(StoreError error) noexcept {
    for (Question& question : questions_) {
        for (JobPtr& job : question.jobs) {
            if (!job->done()) job->finish(error);
        }
    }
}

std::optional<Clock::time_point> Call::expire(Clock::time_point now) noexcept {
    std::optional<Clock::time_point> next;
    for (Question& question : questions_) {
        for (JobPtr& job : question.jobs) {
            if (job->done()) continue;
            if (job->deadline <= now) {
                job->finish(StoreError::timeout);
            } else if (!next || job->deadline < *next) {
                next = job->deadline;
            }
        }
    }
    return next;
}

std::vector<JobPtr> Call::take_jobs() {
    std::vector<JobPtr> jobs;
    for (Question& question : questions_) {
        for (JobPtr& job : question.jobs) {
            if (job && !job->done()) jobs.push_back(std::move(job));
        }
    }
    questions_.clear();
    return jobs;
}

std::deque<Call> make_calls(std::deque<JobPtr>& jobs, std::size_t calls_max) {
    struct Open {
        Call* call = nullptr;
        boost::unordered_flat_map<std::string_view, std::size_t> last_of_key{};  // its latest question
    };
    std::deque<Call> calls;
    std::array<Open, kScripts> open;
    for (; !jobs.empty(); jobs.pop_front()) {
        JobPtr& job = jobs.front();
        if (job->done()) continue;
        Open& filling = open[static_cast<std::size_t>(job->script)];
        const bool fits = filling.call != nullptr && job->script != ScriptId::change &&
                          filling.call->time_ == job->time && filling.call->keys + job->keys.size() <= kKeysMax;
        if (!fits) {
            if (calls.size() == calls_max) break;
            filling = {};
            filling.call = &calls.emplace_back();
            filling.call->script_ = job->script;
            filling.call->time_ = job->time;
        }
        std::vector<Question>& questions = filling.call->questions_;
        if (job->can_merge()) {
            const auto [found, fresh] = filling.last_of_key.try_emplace(job->keys[0], questions.size());
            if (!fresh) {
                Question& last = questions[found->second];
                if (last.jobs[0]->args == job->args && last.jobs.size() < kGrantsMax) {
                    last.jobs.push_back(std::move(job));
                    continue;
                }
                found->second = questions.size();
            }
        } else if (is_single(job->script)) {
            filling.last_of_key.erase(job->keys[0]);
        }
        filling.call->keys += job->keys.size();
        questions.emplace_back().jobs.push_back(std::move(job));
    }
    return calls;
}

}  // namespace stint::store::redis
