#include "store/redis/batch.hpp"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <utility>

#include "resp/writer.hpp"

namespace stint::inline v0::store::redis {
namespace {

/// Keys of one call: at 5 us each a call keeps a server busy for less than a millisecond.
constexpr std::size_t kKeysMax = 128;

void finish_check(Job& job, bool allowed) {
    job.check->allowed = allowed;
    job.finish();
}

/// Asks with the windows of a calendar around the server's time, once.
void ask_again(JobPtr job, std::int64_t server_now, std::vector<JobPtr>& again) {
    if (std::exchange(job->asked_again, true)) return job->finish(StoreError::unavailable);
    job->now = server_now;
    pack_check(*job);
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
    if (asking_) resp::Writer{out}.command({"ASKING"});
    const std::string time = time_ ? std::to_string(*time_) : std::string{};
    words.push_back(time);
    words.insert(words.end(), args.begin(), args.end());
    resp::Writer{out}.command(words);
}

void Call::deliver(std::string_view reply, std::vector<JobPtr>& again) {
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

void Call::deliver_single(Question& question, std::string_view bytes, std::int64_t now, std::vector<JobPtr>& again) {
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

void Call::deliver_together(JobPtr job, std::string_view bytes, std::int64_t now, std::vector<JobPtr>& again) {
    Check& check = *job->check;
    const std::uint32_t first = read_answer(bytes, kAskBytes).granted;
    if (first == kFailed) return job->finish(StoreError::refused);
    if (first == kAskAgain) return ask_again(std::move(job), now, again);
    bool allowed = !job->denied_elsewhere;
    std::size_t at = 0;
    for (Ask& ask : check.asks) {
        const bool may_ban = ask.ban != nullptr;
        ask.banned = may_ban && read_number(bytes, at, 1) != 0;
        ask.banned_for =
            Duration{may_ban ? static_cast<std::int64_t>(read_number(bytes, at + 1, kTimeBytes)) : std::int64_t{0}};
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
    job.change->done = reply != 0;
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

/// Puts jobs into calls. A call of each script, and in a cluster of each slot, is
/// open at a time: jobs join it as long as it has room and no later call has one
/// of their keys.
class Packer {
public:
    explicit Packer(std::size_t calls_max) : calls_max_(calls_max) {}

    /// Returns: whether the job found room; it is left alone if not.
    bool add(JobPtr& job) {
        const auto last = places_.find(job->keys.empty() ? std::string_view{} : job->keys[0]);
        if (last != places_.end() && joins(last->second, *job)) {
            calls_[last->second.call].questions_[last->second.question].jobs.push_back(std::move(job));
            return true;
        }
        std::size_t& open = open_.try_emplace(call_kind(*job), kNone).first->second;
        if (open == kNone || !has_room(open, *job)) {
            if (calls_.size() == calls_max_) return false;
            open = calls_.size();
            Call& fresh = calls_.emplace_back();
            fresh.script_ = job->script;
            fresh.asking_ = job->asking;
            fresh.time_ = job->time;
        }
        Call& call = calls_[open];
        for (const std::string& key : job->keys) places_[key] = {open, call.questions_.size()};
        call.keys_ += job->keys.size();
        call.questions_.emplace_back().jobs.push_back(std::move(job));
        return true;
    }

    [[nodiscard]] std::deque<Call> take() noexcept { return std::move(calls_); }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    struct Place {
        std::size_t call = 0;
        std::size_t question = 0;
    };

    static std::uint32_t call_kind(const Job& job) noexcept {
        return std::uint32_t{job.slot} << 16 | std::uint32_t{job.asking} << 8 | static_cast<std::uint32_t>(job.script);
    }

    /// Whether the job is equal to the last question about its key.
    [[nodiscard]] bool joins(const Place& place, const Job& job) const {
        const Call& call = calls_[place.call];
        const Question& question = call.questions_[place.question];
        return job.can_merge() && call.script_ == job.script && call.time_ == job.time && call.asking_ == job.asking &&
               question.jobs.size() < kGrantsMax && question.jobs[0]->can_merge() &&
               question.jobs[0]->args == job.args && question.jobs[0]->alone == job.alone;
    }

    [[nodiscard]] bool has_room(std::size_t index, const Job& job) const {
        const Call& call = calls_[index];
        const bool fits = job.script != ScriptId::change && !job.alone && !call.questions_[0].jobs[0]->alone &&
                          call.time_ == job.time && call.keys_ + job.keys.size() <= kKeysMax;
        return fits && std::ranges::none_of(job.keys, [this, index](const std::string& key) {
                   const auto place = places_.find(key);
                   return place != places_.end() && place->second.call > index;
               });
    }

    std::size_t calls_max_;
    std::deque<Call> calls_;
    boost::unordered_flat_map<std::uint32_t, std::size_t> open_;  // by kind
    boost::unordered_flat_map<std::string_view, Place> places_;   // the last question about each key
};

std::deque<Call> make_calls(JobQueue& jobs, std::size_t calls_max) {
    Packer packer{calls_max};
    for (; !jobs.empty(); jobs.pop_front()) {
        JobPtr& job = jobs.front();
        if (!job->done() && !packer.add(job)) break;
    }
    return packer.take();
}

}  // namespace stint::inline v0::store::redis
