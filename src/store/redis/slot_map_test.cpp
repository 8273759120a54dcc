#include "store/redis/slot_map.hpp"

#include <gtest/gtest.h>

#include <set>

#include "store/redis/map_refresh.hpp"
#include "store/redis/testing_resp.hpp"

namespace stint::inline v0::store::redis {
namespace {

TEST(SlotOf, IsCrc16OfTheTag) {
    // The check value of CRC-16/XMODEM, and slots that CLUSTER KEYSLOT gives.
    EXPECT_EQ(slot_of("123456789"), 0x31c3);
    EXPECT_EQ(slot_of("foo"), 12182);
    EXPECT_EQ(slot_of("{user1000}.following"), slot_of("user1000"));
    EXPECT_EQ(slot_of("foo{}{bar}"), 8363);  // an empty tag is none
    EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
    EXPECT_EQ(slot_of("foo{bar}{zap}"), slot_of("bar"));
    EXPECT_EQ(slot_of(""), 0);
}

constexpr const char* kTwoNodes =
    "*2\r\n"
    "*4\r\n:0\r\n:8191\r\n*4\r\n$9\r\n127.0.0.1\r\n:7001\r\n$2\r\nid\r\n*0\r\n*3\r\n$9\r\n127.0.0.1\r\n:7003\r\n$"
    "2\r\nid\r\n"
    "*3\r\n:8192\r\n:16382\r\n*3\r\n$0\r\n\r\n:7002\r\n$2\r\nid\r\n";

TEST(SlotMap, IsReadFromClusterSlots) {
    const auto map = SlotMap::read(*TestValue{kTwoNodes}, "10.0.0.9");
    ASSERT_TRUE(map);
    EXPECT_EQ(*map->owner(0), (Endpoint{"127.0.0.1", 7001}));
    EXPECT_EQ(*map->owner(8191), (Endpoint{"127.0.0.1", 7001}));
    EXPECT_EQ(*map->owner(8192), (Endpoint{"10.0.0.9", 7002}));  // the host that was asked
    EXPECT_EQ(map->owner(16383), nullptr);
    EXPECT_EQ(map->nodes().size(), 2U);
}

TEST(SlotMap, ItsReplicasAreNodesToo) {
    EXPECT_EQ(read_nodes(*TestValue{kTwoNodes}, "10.0.0.9"),
              (std::vector<Endpoint>{{"127.0.0.1", 7001}, {"127.0.0.1", 7003}, {"10.0.0.9", 7002}}));
}

TEST(SlotMap, ASlotMoves) {
    auto map = SlotMap::read(*TestValue{kTwoNodes}, "");
    map->set_owner(5, {"127.0.0.1", 7009});
    EXPECT_EQ(map->owner(5)->port, 7009);
    EXPECT_EQ(map->owner(6)->port, 7001);
    EXPECT_EQ(map->nodes().size(), 3U);
}

TEST(SlotMap, WhatIsNoMapIsNone) {
    for (const char* reply :
         {"*0\r\n", "*-1\r\n", "+OK\r\n", "*1\r\n:1\r\n", "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\nh\r\n:1\r\n",
          "*1\r\n*3\r\n:5\r\n:4\r\n*2\r\n$1\r\nh\r\n:1\r\n", "*1\r\n*3\r\n:-1\r\n:4\r\n*2\r\n$1\r\nh\r\n:1\r\n",
          "*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n$1\r\nh\r\n", "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n:65536\r\n"}) {
        EXPECT_FALSE(SlotMap::read(*TestValue{reply}, "h")) << reply;
        EXPECT_FALSE(read_nodes(*TestValue{reply}, "h")) << reply;
    }
}

class MapRefreshTest : public testing::Test {
protected:
    MapRefresh refresh_{{{"configured", 1}}, 1};
    MapRefresh::Clock::time_point now_{std::chrono::hours{1}};
};

TEST_F(MapRefreshTest, TheFirstIsDueAtOnceAndTheNextNotBeforeLong) {
    EXPECT_FALSE(refresh_.due());
    refresh_.want(now_);
    EXPECT_EQ(refresh_.due(), now_);
    EXPECT_EQ(refresh_.begin({}), (Endpoint{"configured", 1}));
    EXPECT_FALSE(refresh_.due());
    refresh_.succeeded(now_);
    EXPECT_FALSE(refresh_.due());
    for (int i = 0; i < 100; ++i) refresh_.want(now_);
    ASSERT_TRUE(refresh_.due());
    EXPECT_GE(*refresh_.due() - now_, MapRefresh::kEveryLeast);
    EXPECT_LE(*refresh_.due() - now_, 2 * MapRefresh::kEveryLeast);
}

TEST_F(MapRefreshTest, EachNodeIsAskedOnceTheKnownOnesFirst) {
    refresh_.want(now_);
    std::set<Endpoint> asked{refresh_.begin({{"a", 1}, {"b", 1}, {"configured", 1}})};
    std::optional<Endpoint> last;
    while (const auto next = refresh_.failed(now_)) {
        EXPECT_TRUE(asked.insert(*next).second);
        EXPECT_FALSE(refresh_.helpless());
    }
    EXPECT_EQ(asked.size(), 3U);
    EXPECT_TRUE(refresh_.helpless());
    ASSERT_TRUE(refresh_.due());  // after a pause
    EXPECT_GT(*refresh_.due(), now_);
    (void)refresh_.begin({});
    refresh_.succeeded(now_);
    EXPECT_FALSE(refresh_.helpless());
}

TEST_F(MapRefreshTest, WhatIsWantedMeanwhileComesAfterwards) {
    refresh_.want(now_);
    (void)refresh_.begin({});
    refresh_.want(now_);
    EXPECT_FALSE(refresh_.due());
    refresh_.succeeded(now_);
    EXPECT_TRUE(refresh_.due());
}

}  // namespace
}  // namespace stint::inline v0::store::redis
