// For tests: checks with all that they point to, and jobs of them.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "store/redis/job.hpp"
#include "store/redis/key_name.hpp"

namespace stint::inline v0::store::redis {

struct AskSpec {
    std::string key{};
    std::vector<Limit> limits{Limit::fixed_window(10, std::chrono::seconds{60})};
    std::string rule = "rule";
    std::uint64_t cost = 1;
    std::optional<Ban> ban{};
};

/// A check that stays where it is, and whether it is done.
class TestCheck {
public:
    explicit TestCheck(std::vector<AskSpec> specs, bool peek = false) : specs_(std::move(specs)) {
        asks_.resize(specs_.size());
        counters_.resize(specs_.size());
        answers_.resize(specs_.size());
        bans_.resize(specs_.size());
        for (std::size_t i = 0; i < specs_.size(); ++i) {
            const AskSpec& spec = specs_[i];
            for (const Limit& limit : spec.limits) {
                counters_[i].push_back({limit, std::hash<std::string>{}(spec.rule + "\n" + limit.kind())});
            }
            answers_[i].resize(spec.limits.size());
            if (spec.ban) bans_[i] = {*spec.ban, std::hash<std::string>{}(spec.rule + "\nban")};
            asks_[i].key = spec.key;
            asks_[i].rule = spec.rule;
            asks_[i].names = names_;
            asks_[i].counters = counters_[i];
            asks_[i].answers = answers_[i];
            asks_[i].cost = spec.cost;
            asks_[i].ban = spec.ban ? &bans_[i] : nullptr;
        }
        check.asks = asks_;
        check.peek = peek;
    }
    explicit TestCheck(AskSpec spec, bool peek = false) : TestCheck(std::vector{std::move(spec)}, peek) {}
    TestCheck(const TestCheck&) = delete;
    TestCheck& operator=(const TestCheck&) = delete;

    /// Returns: a job of this check, which done() tells of.
    [[nodiscard]] JobPtr job(Clock::time_point deadline = Clock::now() + std::chrono::hours{1},
                             std::optional<std::int64_t> time = std::nullopt, std::int64_t now = 0) {
        static const KeyNames kNames{{}};
        ends_ = 0;
        submission_ = std::make_unique<Submission>(
            1, Completion{[](void* context) noexcept { ++static_cast<TestCheck*>(context)->ends_; }, this});
        JobPtr job = make_check_job(kNames, check, time, now);
        job->deadline = deadline;
        job->submission = submission_.get();
        return job;
    }
    [[nodiscard]] bool done() const noexcept { return ends_ == 1; }
    [[nodiscard]] const Answer& answer(std::size_t ask = 0, std::size_t limit = 0) const {
        return answers_[ask][limit];
    }

    Check check;

private:
    std::vector<AskSpec> specs_;
    std::vector<std::string> names_{"key"};
    std::vector<std::vector<Counter>> counters_;
    std::vector<std::vector<Answer>> answers_;
    std::vector<BanCounter> bans_;
    std::vector<Ask> asks_;
    std::unique_ptr<Submission> submission_;
    int ends_ = 0;
};

/// Answers as the scripts write them.
inline std::string answer_bytes(std::uint32_t granted, std::uint64_t used, std::uint64_t reset = 0,
                                std::uint64_t moment = 0, std::uint64_t retry = 0) {
    std::string bytes;
    append_number(bytes, granted, 4);
    for (const std::uint64_t number : {used, reset, moment, retry}) append_number(bytes, number, kTimeBytes);
    return bytes;
}

inline std::string time_bytes(std::uint64_t now) {
    std::string bytes;
    append_number(bytes, now, kTimeBytes);
    return bytes;
}

}  // namespace stint::inline v0::store::redis
