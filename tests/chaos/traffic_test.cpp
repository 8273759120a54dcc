// That what the chaos tests say of waits is so: a busy machine excuses a wait
// only while it stood still, and a store that blocks its caller nothing.
#include <gtest/gtest.h>
#include <poll.h>

#include "chaos/stalls.hpp"
#include "chaos/traffic.hpp"
#include "redis/until.hpp"
#include "support/failing_store.hpp"

namespace stint::inline v0::testing_chaos {
namespace {

using std::chrono::milliseconds;
using testing_redis::until;

constexpr milliseconds kBlocked{400};

TEST(Stalls, ExcuseOnlyTheTimeThatTheyLieIn) {
    const Stalls::Clock::time_point start{};
    const auto at = [start](int ms) { return start + milliseconds{ms}; };
    Stalls stalls;
    EXPECT_EQ(stalls.within(at(0), at(1'000)), milliseconds{0});
    stalls.note(at(100), at(200));
    stalls.note(at(300), at(700));
    EXPECT_EQ(stalls.within(at(0), at(1'000)), milliseconds{500});
    EXPECT_EQ(stalls.within(at(150), at(400)), milliseconds{150});
    EXPECT_EQ(stalls.within(at(400), at(500)), milliseconds{100});
    EXPECT_EQ(stalls.within(at(200), at(300)), milliseconds{0});
    EXPECT_EQ(stalls.within(at(700), at(900)), milliseconds{0});
}

TEST(Traffic, AStoreThatBlocksItsCallerIsNotExcused) {
    FailingStore store;
    Traffic traffic{store, 1};
    traffic.wait_for_store();
    std::uint64_t checks = 0;
    store.while_deciding = [&checks] {
        if (++checks % 2'000 == 0) (void)poll(nullptr, 0, static_cast<int>(kBlocked.count()));
    };
    traffic.start();
    // Several times, as the machine itself may stand still during one.
    EXPECT_TRUE(until([&] { return traffic.longest_own_wait() >= kBlocked; }));
    (void)traffic.stop();
    EXPECT_GE(traffic.longest_wait(), traffic.longest_own_wait());
}

}  // namespace
}  // namespace stint::inline v0::testing_chaos
