// A check whose keys lie in several slots of a cluster. No script can decide
// it at once, so its parts, one for each slot, are taken one after the other.
// When a part denies, those before it are given back, and those after it only
// count the denial where denials are counted. So a concurrent check may be
// denied that would have passed, but never too many pass. What a giving back
// that fails leaves behind is used, and expires with its window. Other checks
// may come in between the parts, also those that were submitted after this one.
//
// Without I/O: the owner sends the jobs that next() gives, and calls it again
// once they have ended. Tested by split_check_test.cpp. Threads: one at a time.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "store/redis/job.hpp"

namespace stint::inline v0::store::redis {

class SplitCheck {
public:
    /// `on_step`: called when all jobs of a step have ended, from where the last one ends: it must only take a note.
    /// Requires: a check of at least two asks, its jobs' slots given by `slots`.
    SplitCheck(JobPtr whole, const std::vector<std::uint16_t>& slots, std::function<void()> on_step);
    SplitCheck(const SplitCheck&) = delete;
    SplitCheck& operator=(const SplitCheck&) = delete;

    /// Returns: what is to be sent next, at once and in this order. `give_back_by`: the deadline of what gives back,
    /// for which no caller waits.
    [[nodiscard]] std::vector<JobPtr> next(Clock::time_point give_back_by);
    /// Returns: whether the check has its answer. What next() has just given is then the last.
    [[nodiscard]] bool over() const noexcept { return phase_ == Phase::done; }

private:
    enum class Phase : std::uint8_t { start, taking, looking, settling, done };

    /// The asks of one slot.
    struct Part {
        std::uint16_t slot = 0;
        std::vector<std::size_t> places{};  // in the whole check
        std::vector<Ask> asks{};
        Check check{};
        bool taken = false;
    };

    [[nodiscard]] JobPtr job_of(Part& part, bool peek, bool denied_elsewhere);
    void begin_step(std::size_t jobs);
    [[nodiscard]] std::vector<JobPtr> look_at_all();
    [[nodiscard]] std::vector<JobPtr> take(std::size_t index);
    [[nodiscard]] std::vector<JobPtr> after_taking(Clock::time_point give_back_by);
    void give_back(Part& part, Clock::time_point by, std::vector<JobPtr>& jobs) const;
    [[nodiscard]] std::vector<JobPtr> settle(Clock::time_point give_back_by);
    void restore_passes();
    void finish(bool allowed, StoreError error);

    JobPtr whole_;
    std::function<void()> on_step_;
    std::deque<Part> parts_;  // stay where they are
    std::unique_ptr<Submission> step_;
    Phase phase_ = Phase::start;
    std::size_t current_ = 0;
};

}  // namespace stint::inline v0::store::redis
