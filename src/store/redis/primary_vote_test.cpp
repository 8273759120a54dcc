#include "store/redis/primary_vote.hpp"

#include <gtest/gtest.h>

#include "store/redis/testing_resp.hpp"

namespace stint::inline v0::store::redis {
namespace {

class PrimaryVoteTest : public testing::Test {
protected:
    const TestValue first_{"*2\r\n$9\r\n127.0.0.1\r\n$4\r\n7001\r\n"};
    const TestValue second_{"*2\r\n$9\r\n127.0.0.1\r\n$4\r\n7002\r\n"};
    PrimaryVote vote_{3};
};

TEST_F(PrimaryVoteTest, AMajorityDecidesWithoutTheRest) {
    vote_.add(second_.get());
    EXPECT_FALSE(vote_.over());
    vote_.add(second_.get());
    EXPECT_TRUE(vote_.over());
    EXPECT_EQ(vote_.leading(), (Endpoint{"127.0.0.1", 7002}));
}

TEST_F(PrimaryVoteTest, OneThatHasNotHeardOfTheFailoverIsOutvoted) {
    vote_.add(first_.get());
    vote_.add(second_.get());
    EXPECT_FALSE(vote_.over());
    vote_.add(second_.get());
    EXPECT_TRUE(vote_.over());
    EXPECT_EQ(vote_.leading()->port, 7002);
}

TEST_F(PrimaryVoteTest, TheOnlyOneThatAnswersDecidesOnceTheOthersHaveFailed) {
    vote_.add(nullptr);
    vote_.add(first_.get());
    EXPECT_FALSE(vote_.over());
    vote_.add(nullptr);
    EXPECT_TRUE(vote_.over());
    EXPECT_EQ(vote_.leading()->port, 7001);
}

TEST_F(PrimaryVoteTest, NonsenseIsNoVote) {
    for (const char* bytes : {"*-1\r\n", "+OK\r\n", "*2\r\n$0\r\n\r\n$4\r\n7001\r\n"}) {
        PrimaryVote vote{1};
        const TestValue value{bytes};
        vote.add(value.get());
        EXPECT_TRUE(vote.over());
        EXPECT_FALSE(vote.leading()) << bytes;
    }
    PrimaryVote vote{2};
    for (const char* bytes : {"*2\r\n$1\r\nh\r\n$5\r\n65536\r\n", "*2\r\n$1\r\nh\r\n$4\r\n70x1\r\n"}) {
        const TestValue value{bytes};
        vote.add(value.get());
    }
    EXPECT_FALSE(vote.leading());
}

}  // namespace
}  // namespace stint::inline v0::store::redis
