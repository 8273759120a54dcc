#include "store/redis/job_queue.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "store/redis/testing_check.hpp"

namespace stint::inline v0::store::redis {
namespace {

using std::chrono::milliseconds;
const Clock::time_point kStart{std::chrono::hours{1}};

class JobQueueTest : public testing::Test {
protected:
    JobPtr job(const char* key, int deadline_ms) {
        return checks_.emplace_back(AskSpec{.key = key}).job(kStart + milliseconds{deadline_ms});
    }
    std::string take_keys() {
        std::string keys;
        for (const JobPtr& job : queue_.take_all()) {
            keys += job->check->asks[0].key;
            job->finish();
        }
        return keys;
    }
    std::deque<TestCheck> checks_;
    JobQueue queue_;
};

TEST_F(JobQueueTest, WhatComesBackGoesBeforeWhatIsNoOlder) {
    queue_.push_back(job("c", 20));
    queue_.push_back(job("d", 20));
    queue_.push_back(job("f", 30));
    std::vector<JobPtr> back;
    back.push_back(job("a", 10));
    back.push_back(job("b", 20));
    back.push_back(job("e", 25));
    queue_.put_back(std::move(back));
    EXPECT_EQ(take_keys(), "abcdef");
}

TEST_F(JobQueueTest, EndsWhatIsDueAndTellsWhenTheNextIs) {
    for (const int ms : {10, 20, 30}) queue_.push_back(job("k", ms));
    EXPECT_EQ(queue_.expire(kStart + milliseconds{9}), kStart + milliseconds{10});
    EXPECT_EQ(queue_.expire(kStart + milliseconds{20}), kStart + milliseconds{30});
    EXPECT_EQ(checks_[0].check.error, StoreError::timeout);
    EXPECT_EQ(checks_[1].check.error, StoreError::timeout);
    EXPECT_FALSE(checks_[2].done());
    EXPECT_EQ(queue_.expire(kStart + milliseconds{30}), std::nullopt);
    EXPECT_TRUE(checks_[2].done());
    EXPECT_TRUE(queue_.empty());
}

TEST_F(JobQueueTest, FailsAllOnce) {
    queue_.push_back(job("a", 10));
    queue_.push_back(job("b", 10));
    queue_.front()->finish(StoreError::timeout);
    queue_.fail_all(StoreError::unavailable);
    EXPECT_TRUE(checks_[0].done() && checks_[1].done());
    EXPECT_EQ(checks_[0].check.error, StoreError::timeout);
    EXPECT_EQ(checks_[1].check.error, StoreError::unavailable);
}

}  // namespace
}  // namespace stint::inline v0::store::redis
