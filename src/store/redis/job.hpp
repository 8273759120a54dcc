// What a caller wants of Redis, on its way there and back: packed by the
// caller's thread, sent and answered by the client's.
// Threads: a job belongs to one thread at a time; a Submission to all of its jobs.
#pragma once

#include <atomic>
#include <boost/container/small_vector.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "stint/store.hpp"
#include "store/redis/script_args.hpp"
#include "store/redis/scripts.hpp"

namespace stint::inline v0::store::redis {

using Clock = std::chrono::steady_clock;

/// Calls back once when all jobs of one call of the store are done.
class Submission {
public:
    Submission(std::size_t jobs, Completion done) noexcept : jobs_left_(jobs), done_(done) {}

    void finish_one() noexcept {
        const Completion done = done_;  // the last job's end may be the submission's
        if (jobs_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) done();
    }

private:
    std::atomic<std::size_t> jobs_left_;
    Completion done_;
};

/// So often a job is sent, whatever asks for it to be sent anew.
inline constexpr std::uint8_t kAttemptsMax = 16;

class DenyCache;

struct Job {
    ScriptId script{};
    std::optional<std::int64_t> time{};  ///< none: the server's
    std::int64_t now = 0;                ///< the caller's clock, around which calendar windows are told
    boost::container::small_vector<std::string, 1> keys{};
    std::string args{};
    std::size_t answer_bytes = 0;  ///< of a check's answer
    Clock::time_point deadline{};

    // In a cluster; elsewhere all of this stays as it is, and any keys may go together.
    std::uint16_t slot = 0;
    bool asking = false;        ///< to be asked of a node that is being given the slot
    bool alone = false;         ///< its slot is moving: in one call only with checks of its own key
    std::uint8_t attempts = 0;  ///< so often it was sent in vain

    // Where the answer goes; of all of them nothing is touched any more once the job is done.
    Check* check = nullptr;
    ChangeAnswer* change = nullptr;
    Submission* submission = nullptr;
    DenyCache* deny_cache = nullptr;  ///< to be told of what is given back; null: none
    bool asked_again = false;
    bool denied_elsewhere = false;  ///< another part of the check denies: only the denial is to be counted

    [[nodiscard]] bool done() const noexcept { return submission == nullptr; }
    /// Ends the job. Requires: its answer is written, or `error` is one.
    void finish(StoreError error = StoreError::none) noexcept {
        if (error != StoreError::none) (check != nullptr ? check->error : change->error) = error;
        std::exchange(submission, nullptr)->finish_one();
    }
    /// Whether equal jobs may be asked for as one: their grants are handed out first come, first served.
    [[nodiscard]] bool can_merge() const noexcept;
};

using JobPtr = std::unique_ptr<Job>;

/// Where the answer of a change goes that nobody waits for: it goes with it.
/// Requires: the job has a script that changes.
inline void leave_unattended(Job& job) {
    struct Unattended {
        ChangeAnswer answer{};
        Submission submission{1, {[](void* context) noexcept { delete static_cast<Unattended*>(context); }, this}};
    };
    auto* unattended = new Unattended;
    job.change = &unattended->answer;
    job.submission = &unattended->submission;
}

class KeyNames;
/// Returns: the job of a check. Requires: it has asks.
[[nodiscard]] JobPtr make_check_job(const KeyNames& names, Check& check, std::optional<std::int64_t> time,
                                    std::int64_t now);
/// Packs a job's check for the scripts. Requires: its keys and `now` are set.
void pack_check(Job& job);

/// Returns: the job that changes this key, or gives back what an answer charged.
[[nodiscard]] JobPtr make_change_job(const std::string& key, std::string args, std::optional<std::int64_t> time);
[[nodiscard]] JobPtr make_refund_job(const Limit& limit, const Answer& answer, std::uint64_t lease_id,
                                     std::optional<std::int64_t> time);

}  // namespace stint::inline v0::store::redis
