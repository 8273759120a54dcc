#include "store/redis/split_check.hpp"

#include <gtest/gtest.h>

#include "store/redis/batch.hpp"
#include "store/redis/testing_check.hpp"

namespace stint::inline v0::store::redis {
namespace {

const Limit kTen = Limit::fixed_window(10, std::chrono::seconds{60});
const Limit kCounting = Limit::make(
    {.algorithm = Algorithm::fixed_window, .limit = 10, .per = std::chrono::seconds{60}, .count_denied = true});
const Clock::time_point kDeadline{std::chrono::hours{1}};
const Clock::time_point kGiveBackBy{std::chrono::hours{2}};

/// A server on paper that ends the jobs of a step as a test says.
class SplitCheckTest : public testing::Test {
protected:
    void make(std::vector<AskSpec> specs, const std::vector<std::uint16_t>& slots, bool peek = false) {
        check_ = std::make_unique<TestCheck>(std::move(specs), peek);
        split_ = std::make_unique<SplitCheck>(check_->job(kDeadline), slots, [this] { ++steps_; });
        next();
    }
    void next() { jobs_ = split_->next(kGiveBackBy); }
    /// What the script of one limit says to a job.
    void answer(std::size_t job, std::uint32_t granted, std::uint64_t used) {
        JobQueue queue;
        queue.push_back(std::move(jobs_[job]));
        auto calls = make_calls(queue, 1);
        std::vector<JobPtr> again;
        if (calls[0].script() == ScriptId::change) return calls[0].deliver(1);
        std::string bytes = time_bytes(1);
        if (calls[0].script() == ScriptId::together) bytes += std::string(kAskBytes, '\0');
        calls[0].deliver(bytes + answer_bytes(granted, used, 60, 61, 60), again);
    }
    void fail(std::size_t job, StoreError error) { jobs_[job]->finish(error); }
    [[nodiscard]] std::string key(std::size_t job) const { return jobs_[job]->keys[0]; }

    std::unique_ptr<TestCheck> check_;
    std::unique_ptr<SplitCheck> split_;
    std::vector<JobPtr> jobs_;
    int steps_ = 0;
};

TEST_F(SplitCheckTest, TakesOnePartAfterTheOther) {
    make({{.key = "a"}, {.key = "b"}}, {7, 8});
    ASSERT_EQ(jobs_.size(), 1U);
    EXPECT_EQ(key(0), "stint:1:rule:{key=a}");
    EXPECT_EQ(jobs_[0]->slot, 7);
    EXPECT_EQ(jobs_[0]->deadline, kDeadline);
    answer(0, 1, 3);
    EXPECT_EQ(steps_, 1);
    next();
    ASSERT_EQ(jobs_.size(), 1U);
    EXPECT_EQ(jobs_[0]->slot, 8);
    answer(0, 1, 10);
    next();
    EXPECT_TRUE(jobs_.empty() && split_->over() && check_->done());
    EXPECT_TRUE(check_->check.allowed);
    EXPECT_EQ(check_->answer(0).remaining, 7U);
    EXPECT_EQ(check_->answer(1).remaining, 0U);
    EXPECT_EQ(check_->answer(0).charged, 1U);
    EXPECT_EQ(check_->answer(1).charged, 1U);
}

TEST_F(SplitCheckTest, AsksOfOneSlotStayTogether) {
    make({{.key = "a", .rule = "x"}, {.key = "b", .rule = "y"}, {.key = "a", .rule = "z"}}, {7, 8, 7});
    ASSERT_EQ(jobs_.size(), 1U);
    ASSERT_EQ(jobs_[0]->keys.size(), 2U);
    EXPECT_EQ(jobs_[0]->keys[1], "stint:1:z:{key=a}");
    fail(0, StoreError::unavailable);
    next();
}

TEST_F(SplitCheckTest, WhatCameBeforeADenialIsGivenBackAndTheRestIsTold) {
    make({{.key = "a", .cost = 2}, {.key = "b"}, {.key = "c"}}, {7, 8, 9});
    answer(0, 1, 4);
    next();
    answer(0, 0, 10);
    next();
    ASSERT_EQ(jobs_.size(), 3U);
    EXPECT_EQ(jobs_[0]->script, ScriptId::change);
    EXPECT_EQ(key(0), "stint:1:rule:{key=a}");
    EXPECT_EQ(jobs_[0]->slot, 7);
    EXPECT_EQ(jobs_[0]->deadline, kGiveBackBy);
    EXPECT_EQ(read_number(jobs_[0]->args, 9, 1), static_cast<std::uint64_t>(Change::refund));
    EXPECT_EQ(read_number(jobs_[0]->args, 10, 7), 61U);  // the window that was charged
    EXPECT_EQ(read_number(jobs_[0]->args, 17, 7), 2U);
    EXPECT_EQ(key(1), key(0));
    EXPECT_EQ(jobs_[1]->args[19], static_cast<char>(Mode::look));
    EXPECT_EQ(jobs_[2]->script, ScriptId::together);
    EXPECT_EQ(jobs_[2]->args[0], static_cast<char>(Mode::deny));
    answer(0, 0, 0);
    answer(1, 1, 2);
    EXPECT_FALSE(check_->done());
    answer(2, 1, 5);
    next();
    ASSERT_TRUE(split_->over() && check_->done());
    EXPECT_FALSE(check_->check.allowed);
    EXPECT_TRUE(check_->answer(0).allowed);
    EXPECT_EQ(check_->answer(0).remaining, 8U);
    EXPECT_EQ(check_->answer(0).charged, 0U);
    EXPECT_FALSE(check_->answer(1).allowed);
    EXPECT_TRUE(check_->answer(2).allowed);
    EXPECT_EQ(check_->answer(2).charged, 0U);
}

TEST_F(SplitCheckTest, ALimitThatCountsDenialsKeepsTheCharge) {
    make({{.key = "a", .limits = {kCounting}}, {.key = "b"}}, {7, 8});
    answer(0, 1, 10);
    next();
    answer(0, 0, 10);
    next();
    ASSERT_EQ(jobs_.size(), 1U);  // only a look
    EXPECT_NE(jobs_[0]->script, ScriptId::change);
    answer(0, 0, 10);
    next();
    EXPECT_TRUE(check_->answer(0).allowed);  // this check it let pass
    EXPECT_EQ(check_->answer(0).remaining, 0U);
    EXPECT_GT(check_->answer(0).retry_after, Duration{0});
}

TEST_F(SplitCheckTest, AFailureGivesBackWhatIsKnownToBeTaken) {
    make({{.key = "a"}, {.key = "b"}, {.key = "c"}}, {7, 8, 9});
    answer(0, 1, 4);
    next();
    fail(0, StoreError::timeout);
    next();
    ASSERT_EQ(jobs_.size(), 1U);
    EXPECT_EQ(jobs_[0]->script, ScriptId::change);
    EXPECT_TRUE(split_->over() && check_->done());  // its caller waits for nothing more
    EXPECT_EQ(check_->check.error, StoreError::timeout);
    split_ = nullptr;
    answer(0, 0, 0);
}

TEST_F(SplitCheckTest, ADenialStandsThoughTheOthersFail) {
    make({{.key = "a"}, {.key = "b"}, {.key = "c"}}, {7, 8, 9});
    answer(0, 1, 4);
    next();
    answer(0, 0, 10);
    next();
    ASSERT_EQ(jobs_.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) fail(i, StoreError::unavailable);
    next();
    ASSERT_TRUE(check_->done());
    EXPECT_EQ(check_->check.error, StoreError::none);
    EXPECT_FALSE(check_->check.allowed);
    EXPECT_TRUE(check_->answer(0).allowed);
    EXPECT_FALSE(check_->answer(1).allowed);
    EXPECT_TRUE(check_->answer(2).allowed);
    EXPECT_EQ(check_->answer(0).charged, 0U);
}

TEST_F(SplitCheckTest, APeekLooksAtAllAtOnceAndGivesNothingBack) {
    make({{.key = "a"}, {.key = "b"}}, {7, 8}, true);
    ASSERT_EQ(jobs_.size(), 2U);
    answer(1, 0, 10);
    answer(0, 1, 4);
    next();
    EXPECT_TRUE(jobs_.empty() && check_->done());
    EXPECT_FALSE(check_->check.allowed);
    EXPECT_EQ(check_->answer(0).remaining, 6U);
}

}  // namespace
}  // namespace stint::inline v0::store::redis
