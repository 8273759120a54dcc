#include "store/redis/circuit.hpp"

#include <gtest/gtest.h>

namespace stint::inline v0::store::redis {
namespace {

using std::chrono::milliseconds;
using Loss = Circuit::Loss;

class CircuitTest : public testing::Test {
protected:
    Circuit circuit_{1};
    Circuit::Clock::time_point now_{std::chrono::hours{1}};
};

TEST_F(CircuitTest, IsClosedBeforeTheFirstAttemptHasFailed) {
    EXPECT_FALSE(circuit_.open());
    (void)circuit_.lost(Loss::unreachable, now_);
    EXPECT_TRUE(circuit_.open());
}

TEST_F(CircuitTest, AServedConnectionThatDropsIsMadeAnewAtOnceAndStaysClosed) {
    (void)circuit_.connected();
    circuit_.served();
    EXPECT_EQ(circuit_.lost(Loss::dropped, now_).count(), 0);
    EXPECT_FALSE(circuit_.open());
}

TEST_F(CircuitTest, ButAtMostOnceASecond) {
    for (const bool at_once : {true, false}) {
        (void)circuit_.connected();
        circuit_.served();
        EXPECT_EQ(circuit_.lost(Loss::dropped, now_).count() == 0, at_once);
        now_ += milliseconds{999};
    }
    (void)circuit_.connected();
    circuit_.served();
    EXPECT_EQ(circuit_.lost(Loss::dropped, now_).count(), 0);
}

TEST_F(CircuitTest, ATrippedOneClosesWhenAConnectionIsReady) {
    circuit_.trip();
    EXPECT_TRUE(circuit_.open());
    EXPECT_TRUE(circuit_.connected());
    EXPECT_FALSE(circuit_.open());
}

TEST_F(CircuitTest, AServerThatCannotServeOpensItAtOnce) {
    (void)circuit_.connected();
    circuit_.served();
    EXPECT_GT(circuit_.lost(Loss::unreachable, now_).count(), 0);
    EXPECT_TRUE(circuit_.open());
}

TEST_F(CircuitTest, PausesDoubleUpTo500MsAndAreJittered) {
    std::int64_t longest = 10;
    for (int attempt = 0; attempt < 20; ++attempt) {
        const auto pause = circuit_.lost(Loss::unreachable, now_).count();
        EXPECT_GE(pause, longest / 2) << attempt;
        EXPECT_LE(pause, longest) << attempt;
        longest = std::min<std::int64_t>(500, longest * 2);
    }
    std::int64_t least = 500;
    std::int64_t most = 0;
    for (int attempt = 0; attempt < 100; ++attempt) {
        const auto pause = circuit_.lost(Loss::unreachable, now_).count();
        least = std::min(least, pause);
        most = std::max(most, pause);
    }
    EXPECT_LT(least, 300);
    EXPECT_GT(most, 450);
}

TEST_F(CircuitTest, AConnectionThatServesNothingDoesNotShortenThePauses) {
    for (int attempt = 0; attempt < 10; ++attempt) {
        (void)circuit_.connected();
        (void)circuit_.lost(Loss::dropped, now_);
    }
    EXPECT_GE(circuit_.lost(Loss::dropped, now_).count(), 250);
    EXPECT_TRUE(circuit_.connected());
    circuit_.served();
    EXPECT_EQ(circuit_.lost(Loss::dropped, now_).count(), 0);
    EXPECT_LE(circuit_.lost(Loss::dropped, now_).count(), 10);
}

}  // namespace
}  // namespace stint::inline v0::store::redis
