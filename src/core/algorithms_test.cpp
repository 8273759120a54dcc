// The worked examples of the algorithms' headers, and their edges. Sequences
// with exact answers are in tests/conformance; comparison with the reference
// model is in tests/oracle.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/ban.hpp"
#include "core/concurrency.hpp"
#include "core/fixed_window.hpp"
#include "core/sliding_log.hpp"
#include "core/sliding_window.hpp"
#include "core/token_bucket.hpp"

namespace stint::inline v0::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t kSecond = 1'000'000;

TEST(FixedWindow, StartsAtTheFirstRequestAndEndsHalfOpen) {
    const Limit limit = Limit::fixed_window(3, seconds{60});
    FixedWindow::State state;
    for (const std::int64_t t : {0 * kSecond, 10 * kSecond, 20 * kSecond}) {
        ASSERT_TRUE(FixedWindow::fits(limit, state, t, 1));
        state = FixedWindow::take(limit, state, t, 1);
    }
    EXPECT_FALSE(FixedWindow::fits(limit, state, 60 * kSecond - 1, 1));
    EXPECT_EQ(FixedWindow::report(limit, state, 60 * kSecond - 1, 1, false).retry_us, 1);
    EXPECT_TRUE(FixedWindow::fits(limit, state, 60 * kSecond, 1));
    EXPECT_EQ(FixedWindow::take(limit, state, 60 * kSecond, 1).end, 120 * kSecond);
}

TEST(FixedWindow, AnEarlierTimeIsTakenAtTheStartOfTheWindow) {
    const Limit limit = Limit::fixed_window(3, seconds{60}, Anchor::clock);
    const FixedWindow::State state = FixedWindow::take(limit, {}, 61 * kSecond, 1);
    EXPECT_EQ(state.end, 120 * kSecond);
    EXPECT_EQ(FixedWindow::taken_at(limit, state, 5 * kSecond), 60 * kSecond);
    EXPECT_EQ(FixedWindow::taken_at(limit, state, 70 * kSecond), 70 * kSecond);
}

TEST(FixedWindow, CountsStopAtTheirMaximum) {
    const Limit limit =
        Limit::make({.algorithm = Algorithm::fixed_window, .limit = 2, .per = seconds{1}, .count_denied = true});
    FixedWindow::State state = FixedWindow::take(limit, {}, 0, kCountMax);
    state = FixedWindow::take(limit, state, 0, kCountMax);
    EXPECT_EQ(state.count, 4'294'967'295U);
}

TEST(FixedWindow, ARefundOfAnotherWindowIsIgnored) {
    const FixedWindow::State state{120 * kSecond, 2};
    EXPECT_EQ(FixedWindow::refund(state, 60 * kSecond, 1).count, 2U);
    EXPECT_EQ(FixedWindow::refund(state, 120 * kSecond, 1).count, 1U);
    EXPECT_EQ(FixedWindow::refund(state, 120 * kSecond, 9).count, 0U);
}

TEST(TokenBucket, ThreeInSevenSecondsDoNotDrift) {
    const Limit limit = Limit::token_bucket(3, seconds{7}, 4'000'000);
    TokenBucket::State state = TokenBucket::take(limit, {}, 0, 1);
    EXPECT_EQ(state.full_us, 2'333'333);
    EXPECT_EQ(state.rest, 1U);  // a third of a microsecond
    for (int i = 1; i < 3'000'000; ++i) state = TokenBucket::take(limit, state, 0, 1);
    EXPECT_EQ(state.full_us, 7'000'000'000'000);
    EXPECT_EQ(state.rest, 0U);
}

TEST(TokenBucket, StepAnswersAsItsPartsDo) {
    const Limit limit = Limit::token_bucket(3, seconds{7}, 5);
    TokenBucket::State state;
    for (std::int64_t t = 0; t < 40 * kSecond; t += 777'777) {
        const bool fits = TokenBucket::fits(limit, state, t, 2);
        const auto step = TokenBucket::step(limit, state, t, 2);
        ASSERT_EQ(step.allowed, fits) << t;
        if (fits) state = TokenBucket::take(limit, state, t, 2);
        EXPECT_EQ(step.next.full_us, state.full_us);
        EXPECT_EQ(step.next.rest, state.rest);
        const Outcome outcome = TokenBucket::report(limit, state, t, 2, fits);
        EXPECT_EQ(step.outcome.remaining, outcome.remaining);
        EXPECT_EQ(step.outcome.retry_us, outcome.retry_us);
        EXPECT_EQ(step.outcome.reset_us, outcome.reset_us);
    }
}

TEST(TokenBucket, SumsBeyond64BitsAreExact) {
    // 2^50 - 1 tokens a day: a token is worth 86400000000/1125899906842623 us.
    const Limit limit = Limit::token_bucket(kBucketMax - 1, hours{24});
    ASSERT_FALSE(limit.fits_64_bits());
    const TokenBucket::State state = TokenBucket::take(limit, {}, 0, kBucketMax - 1);
    EXPECT_EQ(state.full_us, 86'400'000'000);
    EXPECT_EQ(state.rest, 0U);
    EXPECT_FALSE(TokenBucket::fits(limit, state, 0, 1));
    EXPECT_EQ(TokenBucket::report(limit, state, 43'200'000'000, 1, true).remaining, (kBucketMax - 1) / 2);
}

TEST(TokenBucket, AStepBackNeverMakesTheDebtLargerThanTheCapacity) {
    const Limit limit = Limit::token_bucket(1, seconds{1}, 3);
    const TokenBucket::State state = TokenBucket::take(limit, {}, 1000 * kSecond, 3);
    EXPECT_EQ(TokenBucket::report(limit, state, 0, 1, false).retry_us, kSecond);
}

TEST(TokenBucket, ARefundIsIgnoredOnceItsTokensHaveFlownBack) {
    const Limit limit = Limit::token_bucket(1, seconds{1}, 5);
    TokenBucket::State state = TokenBucket::take(limit, {}, 0, 5);  // full again at 5 s
    EXPECT_EQ(TokenBucket::refund(limit, state, 2 * kSecond, 5 * kSecond, 2).full_us, 3 * kSecond);
    state = TokenBucket::take(limit, state, 10 * kSecond, 5);
    EXPECT_EQ(TokenBucket::refund(limit, state, 10 * kSecond, 5 * kSecond, 5).full_us, state.full_us);
}

TEST(TokenBucket, ARefundForgivesNoLaterCharge) {
    const Limit limit = Limit::token_bucket(10, seconds{10});
    const TokenBucket::State first = TokenBucket::take(limit, {}, 0, 10);  // full again at 10 s
    const TokenBucket::State both = TokenBucket::take(limit, first, 9'900'000, 9);
    ASSERT_EQ(both.full_us, 19 * kSecond);
    // Of the first charge 50 ms are still owed.
    EXPECT_EQ(TokenBucket::refund(limit, both, 9'950'000, first.full_us, 10).full_us, 18'950'000);
}

TEST(TokenBucket, ARefundAfterAStepBackGivesNothingAway) {
    const Limit limit = Limit::token_bucket(4, seconds{60}, 5);  // a token is worth 15 s
    const TokenBucket::State state = TokenBucket::take(limit, {}, 188'979'430, 2);
    ASSERT_EQ(state.full_us, 218'979'430);
    EXPECT_EQ(TokenBucket::refund(limit, state, 120'000'000, state.full_us, 2).full_us, 188'979'430);
}

TEST(SlidingWindow, StrictCountsThePartsBeforeInFull) {
    const Limit limit = Limit::sliding_window(10, seconds{60});
    const std::array<std::uint16_t, 1> counts{10};
    const SlidingWindow::State<std::uint16_t> state{0, counts};
    EXPECT_FALSE(SlidingWindow::fits(limit, state, 30 * kSecond, 1));
    EXPECT_EQ(SlidingWindow::report(limit, state, 30 * kSecond, 1, false).retry_us, 31 * kSecond);
    EXPECT_FALSE(SlidingWindow::fits(limit, state, 61 * kSecond - 1, 1));
    EXPECT_TRUE(SlidingWindow::fits(limit, state, 61 * kSecond, 10));
}

TEST(SlidingWindow, TwoCountersWeighThePreviousOne) {
    const Limit limit = Limit::make({.limit = 100, .per = seconds{60}, .mode = WindowMode::weighted, .buckets = 1});
    const std::array<std::uint32_t, 2> counts{84, 36};
    const SlidingWindow::State<std::uint32_t> state{0, counts};
    // At 15 s into the second window: 36 + 84 * 45/60 = 99.
    const std::int64_t t = 75 * kSecond;
    EXPECT_EQ(SlidingWindow::report(limit, state, t, 1, true).remaining, 1U);
    EXPECT_TRUE(SlidingWindow::fits(limit, state, t, 1));
    EXPECT_FALSE(SlidingWindow::fits(limit, state, t, 2));
    // 84 * (60 - e)/60 <= 62 from e = 15.714285715 s on.
    EXPECT_EQ(SlidingWindow::report(limit, state, t, 2, false).retry_us, 714'286);
}

TEST(SlidingLog, WaitsForTheOldestUnits) {
    struct Times {
        std::vector<std::int64_t> times;
        [[nodiscard]] std::uint64_t size() const { return times.size(); }
        [[nodiscard]] std::int64_t time(std::uint64_t i) const { return times[i]; }
        [[nodiscard]] std::int64_t newest() const { return times.back(); }
    };
    const Limit limit = Limit::sliding_log(2, seconds{60});
    const Times state{{0, 10 * kSecond}};
    EXPECT_EQ(SlidingLog::report(limit, state, 30 * kSecond, 1, false).retry_us, 30 * kSecond);
    EXPECT_EQ(SlidingLog::report(limit, state, 30 * kSecond, 2, false).retry_us, 40 * kSecond);
    EXPECT_EQ(SlidingLog::report(limit, state, 30 * kSecond, 3, false).retry_us, kNeverUs);
    EXPECT_FALSE(SlidingLog::fits(limit, state, 60 * kSecond - 1, 1));
    EXPECT_TRUE(SlidingLog::fits(limit, state, 60 * kSecond, 1));
}

TEST(Concurrency, WaitsUntilEnoughLeasesHaveEnded) {
    const Limit limit = Limit::concurrency(2, seconds{10});
    const std::array<Lease, 2> leases{Lease{1, 10 * kSecond, 1}, Lease{2, 11 * kSecond, 1}};
    const Concurrency::State state{leases};
    EXPECT_EQ(Concurrency::report(limit, state, 2 * kSecond, 1, false).retry_us, 8 * kSecond);
    EXPECT_EQ(Concurrency::report(limit, state, 2 * kSecond, 2, false).retry_us, 9 * kSecond);
    EXPECT_TRUE(Concurrency::fits(limit, state, 10 * kSecond, 1));
    EXPECT_FALSE(Concurrency::fits(limit, state, 10 * kSecond, 2));
}

TEST(Ban, BeginsWithTheLastDenialWithinTheTimeOfTheFirst) {
    const Ban ban{.denials = 3, .within = minutes{10}, .duration = hours{24}};
    BanState state = after_denial(ban, {}, 0);
    state = after_denial(ban, state, 5 * kSecond);
    EXPECT_FALSE(state.banned);
    EXPECT_EQ(banned_for(ban, state, 6 * kSecond), 0);
    state = after_denial(ban, state, 599 * kSecond);
    EXPECT_EQ(banned_for(ban, state, 599 * kSecond), 86'400 * kSecond);
    EXPECT_EQ(banned_for(ban, state, (599 + 86'400) * kSecond), 0);
}

TEST(Ban, DenialsTooFarApartStartAgain) {
    const Ban ban{.denials = 2, .within = seconds{10}, .duration = hours{1}};
    BanState state = after_denial(ban, {}, 0);
    state = after_denial(ban, state, 10 * kSecond);
    EXPECT_FALSE(state.banned);
    EXPECT_EQ(state.count, 1U);
}

}  // namespace
}  // namespace stint::inline v0::core
