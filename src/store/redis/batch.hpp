// Puts the jobs that wait together into as few script calls as their scripts
// and times allow, and hands the answers back. Equal checks of one key become
// one question, how many of them pass: the answers are those that they would
// have had one after the other. Tested by batch_test.cpp. Threads: one at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "store/redis/job_queue.hpp"

namespace stint::inline v0::store::redis {

/// Of one reply. A call's is far below, but for a check of thousands of limits.
inline constexpr std::size_t kReplyBytesMax = std::size_t{1} << 20;

/// Jobs that are asked as one: equal ones, or a single one.
struct Question {
    std::vector<JobPtr> jobs;
};

/// One call of a script, for several questions.
class Call {
public:
    [[nodiscard]] ScriptId script() const noexcept { return script_; }
    /// Returns: whether ASKING must go before it.
    [[nodiscard]] bool asking() const noexcept { return asking_; }

    /// Returns: whether it asks more than one question.
    [[nodiscard]] bool shared() const noexcept { return questions_.size() > 1; }

    /// Appends the call as a command. `sha` names the script.
    void write(std::string_view sha, std::string& out) const;

    /// Hands out the answers. Jobs that must be asked again with other windows
    /// of a calendar come back through `again`.
    void deliver(std::string_view reply, std::vector<JobPtr>& again);
    /// The same for lua/change.lua, whose reply is a number.
    void deliver(std::int64_t reply);
    /// Ends all jobs.
    void fail(StoreError error) noexcept;
    /// Ends the jobs that are due. Returns: the earliest deadline of those that go on, if any does.
    [[nodiscard]] std::optional<Clock::time_point> expire(Clock::time_point now) noexcept;
    /// Returns: the jobs that are not done, to be asked anew.
    [[nodiscard]] std::vector<JobPtr> take_jobs();

private:
    friend class Packer;

    static void deliver_single(Question& question, std::string_view bytes, std::int64_t now,
                               std::vector<JobPtr>& again);
    static void deliver_together(JobPtr job, std::string_view bytes, std::int64_t now, std::vector<JobPtr>& again);

    ScriptId script_{};
    bool asking_ = false;
    std::optional<std::int64_t> time_;
    std::vector<Question> questions_;
    std::size_t keys_ = 0;
};

/// Takes jobs off the front, in order, into at most so many calls. What is asked
/// of one key is asked in the order of the jobs, whichever scripts it takes.
[[nodiscard]] std::deque<Call> make_calls(JobQueue& jobs, std::size_t calls_max);

}  // namespace stint::inline v0::store::redis
