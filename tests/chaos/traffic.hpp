// Checks at a steady pace, over keys that are at their limit, on their way to
// it, and new, and what each key was granted by whom. Four rules, one for each
// policy of a store failure and one that nobody reaches the limit of.
// Threads: one drives it; reading is for any.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "chaos/stalls.hpp"
#include "chaos/timeline.hpp"
#include "stint/limiter.hpp"

namespace stint::inline v0::testing_chaos {

enum class Kind : std::uint8_t {
    log,     ///< sliding_log, 10 per 2h, `local`
    window,  ///< fixed_window, 10 per 30m, `deny`
    bucket,  ///< token_bucket, 10 per 2h, `allow`
    wide,    ///< fixed_window of a million per 100d, `deny`: of the hot user alone
};
inline constexpr std::size_t kKinds = 4;
inline constexpr std::uint32_t kLimit = 10;
inline constexpr std::uint64_t kWideLimit = 100'000'000;
/// As many instances share the limit; this one grants a part of it while the store fails.
inline constexpr std::uint64_t kInstances = 4;
inline constexpr std::uint32_t kShare = 3;  // 10 / 4, rounded up
inline constexpr double kChecksPerSecond = 21'000;

/// Of one key of one rule.
struct Tally {
    std::atomic<std::uint32_t> asked{0};
    std::atomic<std::uint32_t> failed{0};  ///< not decided by the store
    std::atomic<std::uint32_t> store{0};   ///< allowed by it
    std::atomic<std::uint32_t> local{0};   ///< allowed by the rule's `local`
    std::atomic<std::uint32_t> policy{0};  ///< allowed by the rule's `allow` or `deny`
};

/// By the kind of answer.
struct Answers {
    std::atomic<std::uint64_t> store{0};
    std::atomic<std::uint64_t> local{0};
    std::atomic<std::uint64_t> allow{0};
    std::atomic<std::uint64_t> deny{0};
};

class Traffic {
public:
    using Clock = Timeline::Clock;
    using Millis = Timeline::Millis;
    static constexpr std::size_t kUsers = 8'192;
    static constexpr std::size_t kKeys = kUsers * kKinds;

    Traffic(Store& store, std::uint32_t seed);
    ~Traffic();
    Traffic(const Traffic&) = delete;
    Traffic& operator=(const Traffic&) = delete;

    /// Asks one key until the store answers.
    void wait_for_store();
    void start();
    /// Asks half as often from now on.
    void slow_down() noexcept { rate_ = rate_ / 2; }
    /// Checks a second that are meant to be asked.
    [[nodiscard]] double rate() const noexcept { return rate_; }
    /// Stops asking and waits for all answers. Returns: the checks that were asked for each second.
    double stop();
    /// Asks each key of a limit once more than its limit, so that all that can still be granted is.
    void sweep();

    [[nodiscard]] const Timeline& timeline() const noexcept { return timeline_; }
    [[nodiscard]] const Answers& answers() const noexcept { return answers_; }
    [[nodiscard]] Clock::duration longest_wait() const noexcept { return Clock::duration{longest_wait_.load()}; }
    /// Returns: the same without the stalls of the machine that lie in each wait.
    [[nodiscard]] Clock::duration longest_own_wait() const;
    [[nodiscard]] std::uint64_t asked() const noexcept { return asked_; }
    [[nodiscard]] std::uint64_t unanswered() const noexcept { return asked_ - answered_; }

    /// Keys are numbered: a user's keys of the kinds lie side by side.
    [[nodiscard]] const std::vector<Tally>& tallies() const noexcept { return tallies_; }
    [[nodiscard]] static Kind kind_of(std::size_t key) noexcept { return static_cast<Kind>(key % kKinds); }
    [[nodiscard]] static std::string user_of(std::size_t key) { return "u" + std::to_string(key / kKinds); }
    /// Returns: what the store has granted each key so far.
    [[nodiscard]] std::vector<std::uint32_t> granted() const;
    /// Returns: units of the hot user's wide limit that are used up.
    [[nodiscard]] std::uint64_t wide_used();

private:
    struct Wait {
        Clock::time_point since;
        Clock::time_point until;
    };

    void run(const std::stop_token& stop);
    [[nodiscard]] std::size_t pick();
    void ask(std::size_t key);
    void note(std::size_t key, Clock::time_point since, const Decision& decision);

    std::vector<Tally> tallies_;
    Timeline timeline_;
    Answers answers_;
    std::atomic<double> rate_{kChecksPerSecond};
    std::atomic<std::uint64_t> asked_{0};
    std::atomic<std::uint64_t> answered_{0};
    std::atomic<Clock::rep> longest_wait_{0};
    mutable std::mutex long_waits_mutex_;
    std::vector<Wait> long_waits_;
    StallWatch stalls_;
    std::minstd_rand random_;
    std::uint64_t picked_ = 0;
    double per_second_ = 0;
    Limiter limiter_;  // its end waits for all answers
    std::jthread thread_;
};

}  // namespace stint::inline v0::testing_chaos
