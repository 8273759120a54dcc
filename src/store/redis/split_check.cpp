#include "store/redis/split_check.hpp"

#include <algorithm>
#include <utility>

#include "store/redis/deny_cache.hpp"

namespace stint::inline v0::store::redis {
namespace {

/// Lets a giving back that nobody waits for end by itself. What was denied because of what it gives back is then
/// untrue.
void leave_to(DenyCache* deny_cache, std::uint64_t place, Job& job) {
    if (deny_cache == nullptr) return leave_unattended(job);
    struct GivenBack {
        DenyCache& deny_cache;
        std::uint64_t place;
        ChangeAnswer answer{};
        Submission submission{1,
                              {[](void* context) noexcept {
                                   const std::unique_ptr<GivenBack> self{static_cast<GivenBack*>(context)};
                                   self->deny_cache.drop(self->place);
                               },
                               this}};
    };
    auto* given_back = new GivenBack{*deny_cache, place};
    job.change = &given_back->answer;
    job.submission = &given_back->submission;
}

}  // namespace

SplitCheck::SplitCheck(JobPtr whole, const std::vector<std::uint16_t>& slots, std::function<void()> on_step)
    : whole_(std::move(whole)), on_step_(std::move(on_step)) {
    const Check& check = *whole_->check;
    for (std::size_t i = 0; i < check.asks.size(); ++i) {
        auto part = std::ranges::find(parts_, slots[i], &Part::slot);
        if (part == parts_.end()) {
            part = parts_.insert(parts_.end(), Part{});
            part->slot = slots[i];
        }
        part->places.push_back(i);
        part->asks.push_back(check.asks[i]);
    }
    for (Part& part : parts_) {
        part.check.asks = part.asks;
        part.check.lease_id = check.lease_id;
    }
}

std::vector<JobPtr> SplitCheck::next(Clock::time_point give_back_by) {
    switch (phase_) {
        case Phase::start:
            return whole_->check->peek ? look_at_all() : take(0);
        case Phase::taking:
            return after_taking(give_back_by);
        case Phase::looking:
        case Phase::settling: {
            if (phase_ == Phase::settling) {
                restore_passes();
                finish(false, StoreError::none);
                break;
            }
            const auto failed =
                std::ranges::find_if(parts_, [](const Part& part) { return part.check.error != StoreError::none; });
            const bool allowed = std::ranges::all_of(parts_, [](const Part& part) { return part.check.allowed; });
            finish(allowed, failed == parts_.end() ? StoreError::none : failed->check.error);
            break;
        }
        case Phase::done:
            break;
    }
    return {};
}

JobPtr SplitCheck::job_of(Part& part, bool peek, bool denied_elsewhere) {
    auto job = std::make_unique<Job>();
    part.check.peek = peek;
    part.check.allowed = false;
    part.check.error = StoreError::none;
    job->check = &part.check;
    job->time = whole_->time;
    job->now = whole_->now;
    job->deadline = whole_->deadline;
    job->slot = part.slot;
    job->denied_elsewhere = denied_elsewhere;
    for (const std::size_t place : part.places) job->keys.push_back(whole_->keys[place]);
    pack_check(*job);
    job->submission = step_.get();
    return job;
}

void SplitCheck::begin_step(std::size_t jobs) {
    step_ = std::make_unique<Submission>(
        jobs, Completion{[](void* context) noexcept { static_cast<SplitCheck*>(context)->on_step_(); }, this});
}

std::vector<JobPtr> SplitCheck::look_at_all() {
    phase_ = Phase::looking;
    begin_step(parts_.size());
    std::vector<JobPtr> jobs;
    for (Part& part : parts_) jobs.push_back(job_of(part, true, false));
    return jobs;
}

std::vector<JobPtr> SplitCheck::take(std::size_t index) {
    phase_ = Phase::taking;
    current_ = index;
    begin_step(1);
    std::vector<JobPtr> jobs;
    jobs.push_back(job_of(parts_[index], false, false));
    return jobs;
}

std::vector<JobPtr> SplitCheck::after_taking(Clock::time_point give_back_by) {
    Part& part = parts_[current_];
    if (part.check.error != StoreError::none) {
        // The caller has waited long enough; what this part has taken, if it has, stays taken.
        const StoreError error = part.check.error;
        std::vector<JobPtr> jobs;
        for (Part& before : parts_) {
            if (before.taken) give_back(before, give_back_by, jobs);
        }
        finish(false, error);
        return jobs;
    }
    part.taken = part.check.allowed;
    if (!part.taken) return settle(give_back_by);
    if (current_ + 1 < parts_.size()) return take(current_ + 1);
    finish(true, StoreError::none);
    return {};
}

/// Gives back what the part's answers charged, but for what a denial would have charged too.
void SplitCheck::give_back(Part& part, Clock::time_point by, std::vector<JobPtr>& jobs) const {
    for (Ask& ask : part.asks) {
        for (std::size_t i = 0; i < ask.counters.size(); ++i) {
            const std::uint64_t charged = std::exchange(ask.answers[i].charged, 0);
            if (charged == 0 || ask.counters[i].limit.count_denied()) continue;
            Answer answer = ask.answers[i];
            answer.charged = charged;
            JobPtr job = make_refund_job(ask.counters[i].limit, answer, part.check.lease_id, whole_->time);
            leave_to(whole_->deny_cache, answer.counter.digest.high, *job);
            job->deadline = by;
            job->slot = part.slot;
            jobs.push_back(std::move(job));
        }
    }
}

/// The parts before the one that denies are given back and then looked at, since their answers are those of a denied
/// check; the parts after it are told of the denial.
std::vector<JobPtr> SplitCheck::settle(Clock::time_point give_back_by) {
    phase_ = Phase::settling;
    begin_step(parts_.size() - 1);
    std::vector<JobPtr> jobs;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (i == current_) continue;
        if (parts_[i].taken) give_back(parts_[i], give_back_by, jobs);
        jobs.push_back(job_of(parts_[i], parts_[i].taken, !parts_[i].taken));
    }
    return jobs;
}

/// A limit that counts denials and has just counted this one may deny the next check; this one it let pass. Of parts
/// that gave no answer nothing is known but that others deny.
void SplitCheck::restore_passes() {
    for (Part& part : parts_) {
        const bool unknown = part.check.error != StoreError::none;
        if (!part.taken && !unknown) continue;
        for (Ask& ask : part.asks) {
            ask.banned = false;
            ask.banned_for = Duration{0};
            for (Answer& answer : ask.answers) {
                if (!part.taken) answer = Answer{.counter = std::move(answer.counter)};
                answer.allowed = true;
            }
        }
    }
}

void SplitCheck::finish(bool allowed, StoreError error) {
    phase_ = Phase::done;
    Check& check = *whole_->check;
    for (const Part& part : parts_) {
        for (std::size_t i = 0; i < part.places.size(); ++i) {
            check.asks[part.places[i]].banned = part.asks[i].banned;
            check.asks[part.places[i]].banned_for = part.asks[i].banned_for;
        }
    }
    check.allowed = allowed;
    whole_->finish(error);
}

}  // namespace stint::inline v0::store::redis
