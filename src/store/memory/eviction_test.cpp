// Contract 11: memory is bounded, and what goes first is what would be missed
// least. The flood of 10^8 keys is in tests/integration/flood.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/memory/asking.hpp"

namespace stint::inline v0::store {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kNow = 1'800'000'000 * kSecond;

Limit calendar_day(std::uint64_t limit) {
    return Limit::make(
        {.algorithm = Algorithm::fixed_window, .limit = limit, .anchor = Anchor::calendar, .unit = CalendarUnit::day});
}

class FloodTest : public testing::TestWithParam<Limit> {};

// Ten times as many invented keys as there are slots; a hundred older keys are at their limit.
TEST_P(FloodTest, KeysAtTheirLimitSurvive) {
    MemoryStore store{{.max_entries = 4'096}};
    Asking asking{store, {GetParam()}};
    for (int key = 0; key < 100; ++key) {
        for (std::uint64_t unit = 0; unit < 10; ++unit) {
            (void)asking.check("victim" + std::to_string(key), kNow + static_cast<std::int64_t>(unit) * kSecond, 1,
                               unit + 1);
        }
    }
    for (int key = 0; key < 40'960; ++key)
        (void)asking.check("invented" + std::to_string(key), kNow + 10 * kSecond + key);
    for (int key = 0; key < 100; ++key) {
        EXPECT_FALSE(asking.peek("victim" + std::to_string(key), kNow + 11 * kSecond).allowed) << key;
    }
    EXPECT_LE(store.stats().entries, 4'096U);
    EXPECT_GE(store.stats().evictions, 30'000U);
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms, FloodTest,
    testing::Values(Limit::fixed_window(10, hours{1}), Limit::fixed_window(10, hours{1}, Anchor::clock),
                    calendar_day(10), Limit::sliding_window(10, hours{1}),
                    Limit::make({.limit = 10, .per = hours{1}, .mode = WindowMode::weighted, .buckets = 1}),
                    Limit::sliding_log(10, hours{1}), Limit::token_bucket(10, hours{1}),
                    Limit::concurrency(10, hours{1})));

TEST(Eviction, OfEqualSharesTheNearestToBeingAsNewGoes) {
    // A small table is flooded with keys that end in an hour; a few that end in
    // a minute go before any of those near them.
    MemoryStore store{{.max_entries = 1024}};
    Asking hour{store, {Limit::fixed_window(100, hours{1})}};
    Asking minute{store, {Limit::fixed_window(100, seconds{60})}};
    for (int key = 0; key < 8; ++key) (void)minute.check("m" + std::to_string(key), kNow);
    for (int key = 0; store.stats().evictions < 10'000; ++key) (void)hour.check("h" + std::to_string(key), kNow);
    int left = 0;
    for (int key = 0; key < 8; ++key) left += minute.peek("m" + std::to_string(key), kNow)[0].remaining == 99;
    EXPECT_EQ(left, 0);
}

TEST(Eviction, ExpiredKeysMakeRoomWithoutBeingCounted) {
    MemoryStore store{{.max_entries = 1'024}};
    Asking asking{store, {Limit::token_bucket(10, seconds{1})}};
    for (int key = 0; key < 10'240; ++key) {
        (void)asking.check("k" + std::to_string(key), kNow + key * 200'000LL);  // each is as new after 0.1 s
    }
    EXPECT_EQ(store.stats().evictions, 0U);
}

// Words reach 4.5 years from the store's first time; states beyond are records.
TEST(Eviction, KeysExpireAlsoFarFromTheFirstTime) {
    MemoryStore store{{.max_entries = 1'024}};
    Asking asking{store, {Limit::fixed_window(10, seconds{1})}};
    (void)asking.check("first", 0);
    for (int key = 0; key < 10'240; ++key) (void)asking.check("k" + std::to_string(key), kNow + key * 20'000LL);
    EXPECT_EQ(store.stats().evictions, 0U);
}

TEST(Eviction, RecordsStayWithinTheirShareOfTheMemory) {
    constexpr std::size_t kMemory = 4 << 20;
    MemoryStore store{{.max_memory = kMemory}};
    Asking asking{store, {Limit::sliding_log(50, hours{1})}};
    for (int round = 0; round < 40; ++round) {
        for (int key = 0; key < 20'000; ++key) {
            (void)asking.check("k" + std::to_string(key), kNow + round * kSecond + key);
        }
        ASSERT_LE(store.stats().memory_bytes, kMemory);
    }
    EXPECT_GT(store.stats().evictions, 0U);
}

TEST(Eviction, RecordsOfExpiredKeysAreFreedFirst) {
    MemoryStore store{{.max_memory = 4 << 20}};
    Asking asking{store, {Limit::sliding_log(50, seconds{60})}};
    for (int round = 0; round < 200; ++round) {
        const std::int64_t now = kNow + round * 300 * kSecond;  // what came before has expired
        for (int key = 0; key < 1'000; ++key) {
            for (int unit = 0; unit < 10; ++unit) (void)asking.check(std::to_string(round * 1'000 + key), now + unit);
        }
    }
    EXPECT_EQ(store.stats().evictions, 0U);
}

}  // namespace
}  // namespace stint::inline v0::store
