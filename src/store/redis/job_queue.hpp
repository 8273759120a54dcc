// The jobs that wait to be sent, nearly in the order of their deadlines: what
// comes anew goes to the end, what came back to be asked again to its place.
// Tested by job_queue_test.cpp. Threads: one at a time.
#pragma once

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "store/redis/job.hpp"

namespace stint::inline v0::store::redis {

class JobQueue {
public:
    [[nodiscard]] bool empty() const noexcept { return jobs_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return jobs_.size(); }
    [[nodiscard]] JobPtr& front() noexcept { return jobs_.front(); }
    void pop_front() noexcept { jobs_.pop_front(); }

    void push_back(JobPtr job) { jobs_.push_back(std::move(job)); }

    /// Puts jobs that were sent before in again, in their order, before those that have the same deadline.
    void put_back(std::vector<JobPtr> jobs) {
        for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) {
            auto at = jobs_.begin();
            while (at != jobs_.end() && (*at)->deadline < (*job)->deadline) ++at;
            jobs_.insert(at, std::move(*job));
        }
    }

    /// Ends the jobs that are due. Returns: the first deadline of the others.
    std::optional<Clock::time_point> expire(Clock::time_point now) noexcept {
        while (!jobs_.empty() && (jobs_.front()->done() || jobs_.front()->deadline <= now)) {
            const JobPtr job = std::move(jobs_.front());
            jobs_.pop_front();
            if (!job->done()) job->finish(StoreError::timeout);
        }
        return jobs_.empty() ? std::nullopt : std::optional{jobs_.front()->deadline};
    }

    /// Ends all jobs.
    void fail_all(StoreError error) noexcept {
        for (const JobPtr& job : std::exchange(jobs_, {})) {
            if (!job->done()) job->finish(error);
        }
    }

    /// Returns: the jobs that are not done, in their order.
    [[nodiscard]] std::vector<JobPtr> take_all() {
        std::vector<JobPtr> taken;
        for (JobPtr& job : jobs_) {
            if (!job->done()) taken.push_back(std::move(job));
        }
        jobs_.clear();
        return taken;
    }

private:
    std::deque<JobPtr> jobs_;
};

}  // namespace stint::inline v0::store::redis
