// The store behind three real sentinels.
#include <gtest/gtest.h>

#include <iostream>

#include "redis/crowd.hpp"
#include "redis/redis_cluster.hpp"
#include "redis/until.hpp"

namespace stint::inline v0::testing_redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

RedisOptions options_of(const SentinelGroup& group) {
    RedisOptions options = group.options();
    options.addresses.insert(options.addresses.begin(), {"127.0.0.1", free_port()});  // one that is down
    options.deadline = milliseconds{100};
    return options;
}

TEST(Sentinel, AFailoverIsFollowedAndTheOldPrimaryIsNotUsedAgain) {
    SentinelGroup group;
    RedisStore store{options_of(group)};
    const AskSpec spec{.key = "a", .limits = {kMany}};
    ASSERT_TRUE(until([&] { return ask(store, spec).error == StoreError::none; }));
    std::uint64_t sent = 20;
    for (int i = 0; i < 20; ++i) EXPECT_EQ(ask(store, spec).error, StoreError::none);
    EXPECT_EQ(group.primary.cli("DBSIZE"), "1");

    group.primary.kill();
    EXPECT_NE(ask(store, spec).error, StoreError::none);
    // Sentinels that a busy machine kept from running do nothing for 30 s.
    ASSERT_TRUE(until([&] { return group.replica.cli("ROLE").substr(0, 6) == "master"; }, seconds{90}));
    const auto start = Clock::now();
    EXPECT_TRUE(until([&] {
        ++sent;
        return ask(store, spec).error == StoreError::none;
    }));
    const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
    std::cout << "the store followed after " << took.count() << " ms\n";
    EXPECT_LT(took, seconds{15});
    const std::uint64_t before = used(store, spec);
    EXPECT_LE(before, sent + 1);

    group.primary.start();  // it takes itself for the primary until a sentinel tells it
    for (int i = 0; i < 20; ++i) EXPECT_EQ(ask(store, spec).error, StoreError::none);
    EXPECT_TRUE(until([&] { return group.primary.cli("ROLE").find("slave") != std::string::npos; }));
    EXPECT_EQ(ask(store, spec).error, StoreError::none);
    EXPECT_EQ(used(store, spec), before + 21);

    RedisStore late{options_of(group)};
    EXPECT_TRUE(until([&] { return ask(late, spec).error == StoreError::none; }));
    EXPECT_EQ(used(late, spec), before + 22);
}

TEST(Sentinel, APrimaryThatIsMadeAReplicaIsLeftForTheNewOne) {
    SentinelGroup group;
    RedisStore store{options_of(group)};
    const AskSpec spec{.key = "a", .limits = {kMany}};
    ASSERT_TRUE(until([&] { return ask(store, spec).error == StoreError::none; }));
    EXPECT_TRUE(until([&] { return group.sentinels[0].cli("SENTINEL FAILOVER main") == "OK"; }));
    EXPECT_TRUE(until([&] { return group.primary.cli("ROLE").find("slave") != std::string::npos; }));
    EXPECT_TRUE(until([&] { return ask(store, spec).error == StoreError::none; }));
    EXPECT_EQ(group.replica.cli("ROLE").substr(0, 6), "master");
}

TEST(Sentinel, WithoutAnySentinelTheStoreIsUnavailable) {
    RedisOptions options;
    options.topology = Topology::sentinel;
    options.addresses = {{"127.0.0.1", free_port()}, {"127.0.0.1", free_port()}};
    options.primary_name = "main";
    RedisStore store{options};
    EXPECT_EQ(ask(store, {.key = "a"}).error, StoreError::unavailable);
}

}  // namespace
}  // namespace stint::inline v0::testing_redis
