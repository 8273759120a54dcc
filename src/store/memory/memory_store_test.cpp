#include "stint/memory_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "stint/error.hpp"
#include "store/memory/asking.hpp"

namespace stint::inline v0::store {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kNow = 1'800'000'000 * kSecond;

Limit counting_denials(Algorithm algorithm, std::uint64_t limit, Duration per) {
    return Limit::make({.algorithm = algorithm, .limit = limit, .per = per, .count_denied = true});
}

TEST(MemoryStore, RefusesImpossibleBounds) {
    EXPECT_THROW(MemoryStore({.max_memory = 1000}), ConfigError);
    EXPECT_THROW(MemoryStore({.max_entries = 1023}), ConfigError);
    EXPECT_THROW(MemoryStore({.max_memory = 1 << 20, .max_entries = 1'000'000}), ConfigError);
}

// B45: two rules at once; a request that one refuses eats nothing of the other.
TEST(MemoryStore, LimitsOfOneCheckAreConsumedTogetherOrNotAtAll) {
    MemoryStore store;
    const std::array user_counter{Counter{Limit::fixed_window(5, seconds{60}), 1}};
    const std::array site_counter{Counter{Limit::fixed_window(10, seconds{60}), 2}};
    const auto request = [&](std::string_view user) {
        std::array<Answer, 2> answers;
        std::array<Ask, 2> asks;
        asks[0].key = user;
        asks[0].counters = user_counter;
        asks[0].answers = {&answers[0], 1};
        asks[1].counters = site_counter;
        asks[1].answers = {&answers[1], 1};
        Check check;
        check.asks = asks;
        store.decide({&check, 1}, Instant{Duration{kNow}});
        return std::tuple{check.allowed, answers[0], answers[1]};
    };
    int allowed = 0;
    for (int i = 0; i < 8; ++i) allowed += std::get<0>(request("ann"));
    EXPECT_EQ(allowed, 5);
    EXPECT_EQ(std::get<2>(request("ann")).remaining, 5U);
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(std::get<0>(request("ben")));
    const auto [sixth, by_user, by_site] = request("ben");
    EXPECT_FALSE(sixth);
    EXPECT_FALSE(by_user.allowed);
    EXPECT_FALSE(by_site.allowed);
}

TEST(MemoryStore, OfADeniedCheckOnlyLimitsThatCountDenialsAreCharged) {
    MemoryStore store;
    Asking asking{store,
                  {counting_denials(Algorithm::sliding_log, 10, seconds{60}), Limit::fixed_window(2, seconds{60})}};
    for (int i = 0; i < 5; ++i) (void)asking.check("k", kNow);
    const auto result = asking.peek("k", kNow);
    EXPECT_EQ(result[0].remaining, 5U);
    EXPECT_EQ(result[1].remaining, 0U);
}

// B34 (a), (b), (c).
TEST(MemoryStore, RefundsBelongToTheirWindowAndNeverGoBelowZero) {
    MemoryStore store;
    Asking asking{store, {Limit::fixed_window(2, seconds{60}, Anchor::clock)}};
    const std::int64_t start = kNow / (60 * kSecond) * 60 * kSecond;

    Answer nothing;
    nothing.charged = 1;
    nothing.counter = asking.check("a", start, 0)[0].counter;
    nothing.moment = start + 60 * kSecond;
    asking.refund(nothing, start);
    EXPECT_TRUE(asking.check("a", start).allowed);
    EXPECT_TRUE(asking.check("a", start).allowed);
    EXPECT_FALSE(asking.check("a", start).allowed);

    const Answer first = asking.check("b", start + 59 * kSecond)[0];
    EXPECT_TRUE(asking.check("b", start + 59 * kSecond).allowed);
    asking.refund(first, start + 61 * kSecond);
    EXPECT_EQ(asking.check("b", start + 61 * kSecond)[0].remaining, 1U);
    EXPECT_EQ(asking.check("b", start + 61 * kSecond)[0].remaining, 0U);
    EXPECT_FALSE(asking.check("b", start + 61 * kSecond).allowed);

    const Answer taken = asking.check("c", start + 59 * kSecond)[0];
    EXPECT_TRUE(asking.check("c", start + 59 * kSecond).allowed);
    asking.refund(taken, start + 59 * kSecond);
    EXPECT_TRUE(asking.check("c", start + 59 * kSecond).allowed);
    EXPECT_FALSE(asking.check("c", start + 59 * kSecond).allowed);
}

class RefundTest : public testing::TestWithParam<Limit> {};

TEST_P(RefundTest, GivesBackWhatWasTakenAndTheKeyIsAsNew) {
    MemoryStore store;
    Asking asking{store, {GetParam()}};
    const auto before = asking.check("k", kNow, 2);
    const auto second = asking.check("k", kNow + 3 * kSecond, 3);
    ASSERT_TRUE(second.allowed);
    asking.refund(second[0], kNow + 3 * kSecond);
    EXPECT_EQ(asking.peek("k", kNow + 3 * kSecond)[0].remaining, 3U);
    asking.refund(before[0], kNow + 3 * kSecond);
    const auto after = asking.peek("k", kNow + 3 * kSecond);
    EXPECT_EQ(after[0].remaining, 5U);
    EXPECT_EQ(after[0].reset_after, Duration{0});
}

INSTANTIATE_TEST_SUITE_P(Algorithms, RefundTest,
                         testing::Values(Limit::fixed_window(5, seconds{60}), Limit::sliding_window(5, seconds{60}),
                                         Limit::sliding_log(5, seconds{60}), Limit::token_bucket(5, hours{1})));

TEST(MemoryStore, StatesThatOutgrowTheirWordAreExact) {
    MemoryStore store;
    Asking window{store, {Limit::fixed_window(kLimitMax, hours{1})}};
    EXPECT_EQ(window.check("k", kNow, 65'535)[0].remaining, kLimitMax - 65'535);
    EXPECT_EQ(window.check("k", kNow, 65'535)[0].remaining, kLimitMax - 2 * 65'535);

    Asking parts{store, {Limit::sliding_window(kLimitMax, seconds{60})}};
    (void)parts.check("p", kNow, 65'535);
    (void)parts.check("p", kNow, 1);
    (void)parts.check("p", kNow + kSecond, 70'000);
    EXPECT_EQ(parts.peek("p", kNow + kSecond)[0].remaining, kLimitMax - 65'536 - 70'000);

    Asking bucket{store, {Limit::token_bucket(999'983, seconds{7}, 10)}};  // n is a prime above 65,536
    EXPECT_EQ(bucket.check("b", kNow, 10)[0].reset_after, Duration{71});   // 10 * 7 s / 999983 = 70.0012 us
    EXPECT_EQ(bucket.check("b", kNow)[0].retry_after, Duration{8});        // 7.00012 us, rounded up
    store.reset({});
    EXPECT_GT(store.stats().record_bytes, 0U);
}

TEST(MemoryStore, TimesBeforeTheFirstAndFarAheadAreExact) {
    MemoryStore store;
    Asking asking{store,
                  {
                      Limit::fixed_window(2, hours{24 * 365}),
                  }};
    (void)asking.check("now", kNow);
    (void)asking.check("old", 0);
    EXPECT_EQ(asking.check("old", 5)[0].reset_after, Duration{hours{24 * 365}} - Duration{5});
    EXPECT_FALSE(asking.check("old", 6).allowed);
    EXPECT_TRUE(asking.check("now", kNow + 400LL * 86'400 * kSecond).allowed);  // 400 days idle
    const std::int64_t last = kInstantMax.time_since_epoch().count();
    (void)asking.check("end", last);
    EXPECT_EQ(asking.check("end", last)[0].remaining, 0U);
    EXPECT_FALSE(asking.check("end", last + 1000).allowed);  // taken as the last moment
    EXPECT_TRUE(asking.check("past", -5).allowed);           // taken as 0
}

TEST(MemoryStore, PeekAndCostZeroChangeNothing) {
    MemoryStore store;
    Asking asking{store, {Limit::sliding_log(2, seconds{60})}};
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(asking.peek("k", kNow).allowed);
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(asking.check("k", kNow, 0).allowed);
    EXPECT_EQ(store.stats().entries, 0U);
    EXPECT_EQ(asking.check("k", kNow)[0].remaining, 1U);
}

TEST(MemoryStore, ABanDeniesOutrightAndResetLiftsIt) {
    MemoryStore store;
    Asking asking{
        store, {Limit::fixed_window(1, seconds{1})}, Ban{.denials = 3, .within = minutes{1}, .duration = hours{1}}};
    EXPECT_TRUE(asking.check("k", kNow).allowed);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(asking.check("k", kNow).banned_for, Duration{0});
    const auto starts = asking.check("k", kNow);
    EXPECT_FALSE(starts.banned);
    EXPECT_EQ(starts.banned_for, Duration{hours{1}});
    const auto during = asking.check("k", kNow + 5 * kSecond, 0);
    EXPECT_FALSE(during.allowed);
    EXPECT_TRUE(during.banned);
    EXPECT_EQ(during.banned_for, hours{1} - seconds{5});
    asking.reset("k");
    EXPECT_TRUE(asking.check("k", kNow + 5 * kSecond).allowed);
}

// B41: 10 an hour, raised, lowered, raised again.
TEST(MemoryStore, OtherNumbersApplyToTheOldCountAtOnce) {
    MemoryStore store;
    Asking asking{store, {Limit::fixed_window(10, hours{1})}};
    for (int i = 0; i < 8; ++i) (void)asking.check("k", kNow);
    EXPECT_EQ(asking.check("k", kNow)[0].remaining, 1U);
    asking.change(Limit::fixed_window(20, hours{1}));
    EXPECT_EQ(asking.check("k", kNow)[0].remaining, 10U);
    asking.change(Limit::fixed_window(5, hours{1}));
    const auto lowered = asking.check("k", kNow);
    EXPECT_FALSE(lowered.allowed);
    EXPECT_EQ(lowered[0].remaining, 0U);
    EXPECT_EQ(lowered[0].retry_after, Duration{hours{1}});
    asking.change(Limit::fixed_window(20, hours{1}));
    EXPECT_TRUE(asking.check("k", kNow).allowed);
}

TEST(MemoryStore, ABucketKeepsTheTimeAtWhichItWillBeFull) {
    MemoryStore store;
    Asking asking{store, {Limit::token_bucket(3, seconds{7}, 3)}};
    (void)asking.check("k", kNow);  // full at 2333333 1/3 us
    asking.change(Limit::token_bucket(5, seconds{7}, 3));
    EXPECT_EQ(asking.peek("k", kNow)[0].reset_after, Duration{2'333'334});
}

// B56.
TEST(MemoryStore, ALeaseEndsByItselfAlthoughOthersAreRenewed) {
    MemoryStore store;
    Asking asking{store, {Limit::concurrency(2, seconds{10})}};
    const auto at = [](std::int64_t s) { return Instant{Duration{kNow + s * kSecond}}; };
    (void)asking.check("k", kNow, 1, 1);
    const CounterRef counter = asking.check("k", kNow + kSecond, 1, 2)[0].counter;
    EXPECT_EQ(asking.check("k", kNow + 2 * kSecond, 1, 3)[0].retry_after, Duration{seconds{8}});
    for (int s = 3; s <= 9; ++s) EXPECT_TRUE(store.renew(counter, 2, at(s)));
    EXPECT_FALSE(asking.check("k", kNow + 9 * kSecond, 1, 3).allowed);
    EXPECT_TRUE(asking.check("k", kNow + 10 * kSecond, 1, 3).allowed);
    EXPECT_TRUE(store.release(counter, 2, at(10)));
    EXPECT_FALSE(store.release(counter, 2, at(10)));
    EXPECT_TRUE(asking.check("k", kNow + 10 * kSecond, 1, 4).allowed);
    EXPECT_FALSE(asking.check("k", kNow + 10 * kSecond, 1, 5).allowed);
}

TEST(MemoryStore, ASlotTakenByADeniedRequestIsNotKept) {
    MemoryStore store;
    Asking asking{store, {Limit::concurrency(1, seconds{10}), Limit::fixed_window(0, seconds{1})}};
    for (std::uint64_t i = 1; i <= 5; ++i) EXPECT_FALSE(asking.check("k", kNow, 1, i).allowed);
    EXPECT_EQ(asking.peek("k", kNow)[0].remaining, 1U);
}

TEST(MemoryStore, ItsClockFollowsTheWallClock) {
    MemoryStore store;
    const auto wall = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    const Instant first = store.now();
    EXPECT_LT(std::chrono::abs(first - wall), seconds{5});
    EXPECT_GE(store.now(), first);
}

TEST(MemoryStore, AnInjectedClockIsAsked) {
    std::int64_t now = kNow;
    MemoryStore store{{.clock = [&now] { return Instant{Duration{now}}; }}};
    EXPECT_EQ(store.now(), Instant{Duration{kNow}});
}

}  // namespace
}  // namespace stint::inline v0::store
