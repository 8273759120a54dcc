#include "store/redis/deny_cache.hpp"

#include <gtest/gtest.h>

#include <random>

#include "stint/memory_store.hpp"
#include "store/redis/testing_check.hpp"
#include "support/seed.hpp"

namespace stint::inline v0::store::redis {
namespace {

using namespace std::chrono_literals;

const Limit kLimit = Limit::fixed_window(10, 60s);
const Clock::time_point kStart = Clock::time_point{} + 24h;

Answer denial(Duration retry, Duration reset) {
    Answer answer;
    answer.allowed = false;
    answer.retry_after = retry;
    answer.reset_after = reset;
    return answer;
}

/// Lets the store deny a check that was asked and answered then.
void deny(DenyCache& cache, const AskSpec& spec, Duration retry, Duration reset, Clock::time_point asked,
          Clock::time_point answered) {
    TestCheck check{spec};
    const auto question = cache.answer(check.check, asked);
    ASSERT_TRUE(question);
    check.check.asks[0].answers[0] = denial(retry, reset);
    cache.keep(*question, check.check, answered);
}

bool knows(DenyCache& cache, const AskSpec& spec, Clock::time_point now) {
    TestCheck check{spec};
    return !cache.answer(check.check, now);
}

TEST(DenyCache, RepeatsADenialWithShorterWaits) {
    DenyCache cache;
    const AskSpec spec{.key = "a", .limits = {kLimit}};
    deny(cache, spec, 500ms, 700ms, kStart, kStart + 2ms);
    TestCheck check{spec};
    check.check.allowed = true;
    check.check.asks[0].answers[0].remaining = 7;
    EXPECT_FALSE(cache.answer(check.check, kStart + 102ms));
    EXPECT_FALSE(check.check.allowed);
    EXPECT_TRUE(check.check.asks[0].from_cache);
    EXPECT_FALSE(check.answer().allowed);
    EXPECT_EQ(check.answer().remaining, 0U);
    EXPECT_EQ(check.answer().charged, 0U);
    EXPECT_EQ(check.answer().retry_after, 400ms) << "from the answer, or who waits comes too early";
    EXPECT_EQ(check.answer().reset_after, 600ms);
}

TEST(DenyCache, NoDenialOutlivesItsReason) {
    DenyCache cache;
    const AskSpec spec{.key = "a", .limits = {kLimit}};
    deny(cache, spec, 500ms, 500ms, kStart, kStart + 20ms);
    EXPECT_TRUE(knows(cache, spec, kStart + 499'999us));
    EXPECT_FALSE(knows(cache, spec, kStart + 500ms)) << "from the question: the server may have taken it at once";
    deny(cache, spec, 1h, 1h, kStart + 1s, kStart + 1s);
    EXPECT_TRUE(knows(cache, spec, kStart + 1999ms));
    EXPECT_FALSE(knows(cache, spec, kStart + 2s)) << "nothing is kept for more than a second";
    deny(cache, spec, kNever, 0s, kStart + 3s, kStart + 3s);
    TestCheck check{spec};
    EXPECT_FALSE(cache.answer(check.check, kStart + 3500ms));
    EXPECT_EQ(check.answer().retry_after, kNever);
    EXPECT_EQ(check.answer().reset_after, 0s);
}

TEST(DenyCache, OtherKeysRulesKindsAndNumbersAreOthers) {
    DenyCache cache;
    const AskSpec spec{.key = "a", .limits = {Limit::fixed_window(1, 60s)}};
    deny(cache, spec, 50s, 50s, kStart, kStart);
    const auto now = kStart + 1ms;
    EXPECT_TRUE(knows(cache, spec, now));
    EXPECT_FALSE(knows(cache, {.key = "b", .limits = spec.limits}, now));
    EXPECT_FALSE(knows(cache, {.key = "a", .limits = spec.limits, .rule = "other"}, now));
    EXPECT_FALSE(knows(cache, {.key = "a", .limits = {Limit::fixed_window(10, 60s)}}, now)) << "an override";
    EXPECT_FALSE(knows(cache, {.key = "a", .limits = {Limit::fixed_window(1, 61s)}}, now));
    const AskSpec bucket{.key = "k", .limits = {Limit::token_bucket(1, 60s, 5)}};
    deny(cache, bucket, 50s, 50s, kStart, kStart);
    EXPECT_TRUE(knows(cache, bucket, now));
    EXPECT_FALSE(knows(cache, {.key = "k", .limits = {Limit::token_bucket(1, 60s, 6)}}, now));
}

TEST(DenyCache, WhatIsDroppedIsForgottenAlsoOnItsWay) {
    DenyCache cache;
    const AskSpec spec{.key = "a", .limits = {kLimit}};
    TestCheck check{spec};
    const std::uint64_t place = cache.digest_of(check.check.asks[0]).high;
    deny(cache, spec, 50s, 50s, kStart, kStart);
    cache.drop(place);
    const auto question = cache.answer(check.check, kStart + 1ms);
    ASSERT_TRUE(question);
    check.check.asks[0].answers[0] = denial(50s, 50s);
    cache.drop(place);  // a refund was done before the answer came
    cache.keep(*question, check.check, kStart + 2ms);
    EXPECT_FALSE(knows(cache, spec, kStart + 3ms));
}

TEST(DenyCache, OnlyDenialsAreKept) {
    DenyCache cache;
    const AskSpec spec{.key = "a", .limits = {kLimit}};
    TestCheck check{spec};
    const auto question = cache.answer(check.check, kStart);
    check.check.allowed = true;
    cache.keep(*question, check.check, kStart);
    check.check.allowed = false;
    check.check.asks[0].answers[0] = denial(50s, 50s);
    check.check.error = StoreError::timeout;
    cache.keep(*question, check.check, kStart);
    EXPECT_FALSE(knows(cache, spec, kStart + 1ms));
}

TEST(DenyCache, OnlyWhatNobodyCanChangeIsCovered) {
    const auto covers = [](const AskSpec& spec, bool peek = false) {
        return DenyCache::covers(TestCheck{spec, peek}.check);
    };
    EXPECT_TRUE(covers({.limits = {kLimit}}));
    EXPECT_FALSE(covers({.limits = {kLimit}}, true)) << "a look is to see what is";
    EXPECT_FALSE(covers({.limits = {kLimit}, .cost = 2})) << "others may take what is left";
    EXPECT_FALSE(covers({.limits = {kLimit}, .cost = 0}));
    EXPECT_FALSE(covers({.limits = {kLimit, Limit::sliding_log(5, 1s)}}));
    EXPECT_FALSE(covers({.limits = {kLimit}, .ban = Ban{3, 1s, 1s, false}}));
    EXPECT_FALSE(covers({.limits = {Limit::concurrency(5, 1s)}}));
    EXPECT_FALSE(covers(
        {.limits = {Limit::make({.algorithm = Algorithm::sliding_log, .limit = 5, .per = 1s, .count_denied = true})}}));
    EXPECT_FALSE(DenyCache::covers(TestCheck{std::vector<AskSpec>{{.key = "a"}, {.key = "b"}}}.check));
    TestCheck off{AskSpec{.limits = {kLimit}}};
    off.check.asks[0].deny_cache = false;
    EXPECT_FALSE(DenyCache::covers(off.check));
}

/// Two stores are asked the same, one of them behind a cache: all that can be seen is equal.
TEST(DenyCache, AnswersAsTheStoreWould) {
    const std::vector<Limit> limits{
        Limit::fixed_window(3, 200ms),
        Limit::fixed_window(3, 200ms, Anchor::clock),
        Limit::fixed_window(0, 200ms),
        Limit::sliding_window(4, 300ms),
        Limit::make({.algorithm = Algorithm::sliding_window,
                     .limit = 4,
                     .per = 300ms,
                     .mode = WindowMode::weighted,
                     .buckets = 3}),
        Limit::sliding_log(3, 250ms),
        Limit::token_bucket(7, 1s, 3),
        Limit::token_bucket(1, 3s, 2),
    };
    const auto seed = test_seed();
    std::mt19937_64 random{seed};
    MemoryStore plain;
    MemoryStore behind;
    DenyCache cache;
    std::int64_t us = std::chrono::duration_cast<Duration>(24h * 20'000).count();
    int from_cache = 0;
    for (int step = 0; step < 200'000; ++step) {
        us += random() % 4 == 0 ? static_cast<std::int64_t>(random() % 200'000)
                                : static_cast<std::int64_t>(random() % 3000);
        const Instant now{Duration{us}};
        const Clock::time_point local{Duration{us}};
        const std::size_t kind = random() % limits.size();
        const AskSpec spec{.key = std::string(1, static_cast<char>('a' + random() % 3)),
                           .limits = {limits[kind]},
                           .rule = "r" + std::to_string(kind),
                           .cost = random() % 8 == 0 ? 2U : 1U};
        TestCheck expected{spec};
        TestCheck cached{spec};
        plain.decide({&expected.check, 1}, now);
        const bool covered = DenyCache::covers(cached.check);
        const auto question = covered ? cache.answer(cached.check, local) : std::nullopt;
        if (covered && !question) {
            ++from_cache;
        } else {
            behind.decide({&cached.check, 1}, now);
            if (question) cache.keep(*question, cached.check, local);
        }
        ASSERT_EQ(cached.check.allowed, expected.check.allowed) << "seed " << seed << ", step " << step;
        ASSERT_EQ(cached.answer().remaining, expected.answer().remaining) << "seed " << seed << ", step " << step;
        ASSERT_EQ(cached.answer().retry_after, expected.answer().retry_after) << "seed " << seed << ", step " << step;
        ASSERT_EQ(cached.answer().reset_after, expected.answer().reset_after) << "seed " << seed << ", step " << step;
        if (expected.answer().charged > 0 && random() % 16 == 0) {
            plain.refund(limits[kind], expected.answer(), 0, now);
            behind.refund(limits[kind], cached.answer(), 0, now);
            cache.drop(cache.digest_of(cached.check.asks[0]).high);
        }
    }
    EXPECT_GT(from_cache, 20'000);
}

}  // namespace
}  // namespace stint::inline v0::store::redis
