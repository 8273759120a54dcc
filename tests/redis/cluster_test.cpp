// The store on a real cluster of six nodes.
#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <set>

#include "redis/crowd.hpp"
#include "redis/redis_cluster.hpp"
#include "redis/until.hpp"

namespace stint::inline v0::testing_redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

class ClusterTest : public testing::Test {
protected:
    static void SetUpTestSuite() { cluster_ = new RedisCluster; }
    static void TearDownTestSuite() { delete std::exchange(cluster_, nullptr); }

    /// Each has keys of its own.
    static std::unique_ptr<RedisStore> make_store(const std::string& prefix, milliseconds deadline = seconds{5}) {
        RedisOptions options = options_for(cluster_->node(4).port(), deadline);  // a replica knows the map too
        options.topology = Topology::cluster;
        options.addresses.push_back({"127.0.0.1", cluster_->node(0).port()});
        options.prefix = prefix;
        return std::make_unique<RedisStore>(options);
    }

    inline static RedisCluster* cluster_ = nullptr;
};

TEST_F(ClusterTest, OddKeysAreCountedApartAndNobodySeesTheCluster) {
    const auto store = make_store("odd:");
    std::vector<std::string> keys{"",
                                  "{",
                                  "}",
                                  "{}",
                                  "}{",
                                  "a{b}c",
                                  "{same}1",
                                  "{same}2",
                                  " ",
                                  "a b",
                                  "a\r\nSET x 1",
                                  std::string("a\0b", 3),
                                  "a:b",
                                  "a::b",
                                  "é",
                                  "e\u0301",
                                  "😀",
                                  std::string(10'240, 'k'),
                                  std::string(10'239, 'k') + "j"};
    std::mt19937 random{std::random_device{}()};
    while (keys.size() < 1000) {
        std::string key;
        for (std::size_t i = random() % 20; i > 0; --i) key += "{}:a\0\n \xff"[random() % 9];
        keys.push_back(key + std::to_string(keys.size()));
    }
    const Limit one = Limit::fixed_window(1, std::chrono::hours{1});
    for (const bool first : {true, false}) {
        std::vector<std::unique_ptr<TestCheck>> checks;
        std::vector<Check> batch;
        for (const std::string& key : keys) {
            checks.push_back(std::make_unique<TestCheck>(std::vector<AskSpec>{
                {.key = key, .limits = {one}, .rule = "x"}, {.key = key, .limits = {one, kMany}, .rule = "y"}}));
            batch.push_back(checks.back()->check);
        }
        store->decide(batch, std::nullopt);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            ASSERT_EQ(batch[i].error, StoreError::none) << i;
            EXPECT_EQ(batch[i].allowed, first) << i;
        }
    }
    std::set<std::uint16_t> slots;
    for (const char* key : {"{same}1", "{same}2"}) {
        TestCheck check{AskSpec{.key = key, .limits = {one}, .rule = "x"}};
        (void)check.job();
        slots.insert(cluster_->slot_of(*check.answer().counter.key));
    }
    EXPECT_EQ(slots.size(), 2U);
}

TEST_F(ClusterTest, ExactlyTenOfAHundredPass) {
    std::vector<std::unique_ptr<RedisStore>> stores;
    for (int i = 0; i < 2; ++i) stores.push_back(make_store("mission:"));
    for (int round = 0; round < 50; ++round) {
        ASSERT_EQ(hundred_at_once(stores, {.key = std::to_string(round)}), 10) << round;
    }
}

TEST_F(ClusterTest, RulesInSeveralSlotsNeverLetTooManyPassAndGiveBack) {
    std::vector<std::unique_ptr<RedisStore>> stores;
    for (int i = 0; i < 2; ++i) stores.push_back(make_store("several:"));
    // Everybody shares the second rule; each caller has 30 of its own, of which what the second denies is given back.
    const AskSpec shared{.key = "all", .limits = {Limit::fixed_window(60, std::chrono::hours{1})}, .rule = "shared"};
    const auto own = [](int caller) {
        return AskSpec{.key = std::to_string(caller), .limits = {Limit::sliding_log(30, std::chrono::hours{1})}};
    };
    std::atomic<std::uint64_t> allowed{0};
    std::array<std::atomic<std::uint64_t>, 4> of_caller{};
    {
        std::vector<std::jthread> callers;
        for (int caller = 0; caller < 4; ++caller) {
            callers.emplace_back([&, caller] {
                for (int i = 0; i < 40; ++i) {
                    TestCheck check{std::vector<AskSpec>{own(caller), shared}};
                    stores[static_cast<std::size_t>(caller) % 2]->decide({&check.check, 1}, std::nullopt);
                    EXPECT_EQ(check.check.error, StoreError::none);
                    if (!check.check.allowed) continue;
                    ++allowed;
                    ++of_caller[static_cast<std::size_t>(caller)];
                }
            });
        }
    }
    EXPECT_EQ(allowed, 60U);
    EXPECT_EQ(used(*stores[0], shared), 60U);
    for (int caller = 0; caller < 4; ++caller) {
        EXPECT_EQ(used(*stores[0], own(caller)), of_caller[static_cast<std::size_t>(caller)]) << caller;
    }
}

TEST_F(ClusterTest, AHotSlotMovesUnderLoadAndEveryCheckIsCountedOnce) {
    const auto store = make_store("hot:");
    const AskSpec first{.key = "hot", .limits = {kMany}, .rule = "first"};
    const AskSpec second{.key = "hot", .limits = {kMany}, .rule = "second"};
    const std::uint16_t slot = cluster_->slot_of("{key=hot}");
    ASSERT_EQ(ask(*store, first).error, StoreError::none);
    Load load{*store, {{first}, {first, second}, {second}}, 6};
    for (int round = 0; round < 4; ++round) {
        const std::uint64_t before = load.answered;
        cluster_->move_slot(slot, (cluster_->owner_of(slot) + 1) % 3);
        EXPECT_TRUE(until([&] { return load.answered > before + 100; }));
    }
    load.stop();
    EXPECT_EQ(load.failed, 0U);
    EXPECT_EQ(load.allowed, load.answered);
    // Two of three checks ask each rule: counted exactly in sum.
    const std::uint64_t counted = used(*store, first) - 1 + used(*store, second);
    EXPECT_GE(counted, load.answered * 4 / 3 - 6);
    EXPECT_LE(counted, load.answered * 4 / 3 + 6);
}

TEST_F(ClusterTest, TheCountOfAMovingKeyIsExact) {
    const auto store = make_store("exact:");
    const AskSpec spec{.key = "hot", .limits = {kMany}};
    const std::uint16_t slot = cluster_->slot_of("{key=hot}");
    Load load{*store, {{spec}}, 6};
    for (int round = 0; round < 4; ++round) {
        const std::uint64_t before = load.answered;
        cluster_->move_slot(slot, (cluster_->owner_of(slot) + 1) % 3);
        EXPECT_TRUE(until([&] { return load.answered > before + 100; }));
    }
    load.stop();
    EXPECT_EQ(load.failed, 0U);
    EXPECT_EQ(used(*store, spec), load.answered);
}

// The last one: it changes who is a primary.
TEST_F(ClusterTest, TheLossOfAPrimaryIsOverWhenItsReplicaHasTakenOver) {
    const auto store = make_store("loss:", milliseconds{100});
    const AskSpec spec{.key = "hot", .limits = {kMany}};
    ASSERT_TRUE(until([&] { return ask(*store, spec).error == StoreError::none; }));
    std::uint64_t sent = 1;
    const std::size_t owner = cluster_->owner_of(cluster_->slot_of("{key=hot}"));
    std::string elsewhere;
    for (int i = 0; elsewhere.empty(); ++i) {
        const std::string key = std::to_string(i);
        if (cluster_->owner_of(cluster_->slot_of("{key=" + key + "}")) != owner) elsewhere = key;
    }
    ASSERT_EQ(ask(*store, {.key = elsewhere}).error, StoreError::none);
    cluster_->node(owner).kill();
    const auto start = Clock::now();
    EXPECT_NE(ask(*store, spec).error, StoreError::none);
    EXPECT_EQ(ask(*store, {.key = elsewhere}).error, StoreError::none);  // the other nodes go on
    milliseconds longest{0};
    EXPECT_TRUE(until([&] {
        const auto asked = Clock::now();
        ++sent;
        const bool done = ask(*store, spec).error == StoreError::none;
        longest = std::max(longest, std::chrono::duration_cast<milliseconds>(Clock::now() - asked));
        return done;
    }));
    const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
    std::cout << "a replica took over after " << took.count() << " ms; the longest wait was " << longest.count()
              << " ms\n";
    EXPECT_LT(took, seconds{15});
    EXPECT_LT(longest, milliseconds{600});
    EXPECT_LE(used(*store, spec), sent);
    // The old primary comes back as a replica, and the count goes on where it was.
    const std::uint64_t before = used(*store, spec);
    cluster_->node(owner).start();
    EXPECT_TRUE(until([&] { return cluster_->node(owner).cli("ROLE").find("slave") != std::string::npos; }));
    for (int i = 0; i < 20; ++i) EXPECT_EQ(ask(*store, spec).error, StoreError::none);
    EXPECT_EQ(used(*store, spec), before + 20);
}

}  // namespace
}  // namespace stint::inline v0::testing_redis
