#include "replay/limit_text.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace stint::inline v0::replay {
namespace {

using std::chrono::seconds;

TEST(LimitText, NamesWhatDiffersFromTheDefaults) {
    EXPECT_EQ(limit_text(Limit::fixed_window(60, seconds{60}, Anchor::clock)), "fixed_window 60 per 1m, anchor clock");
    EXPECT_EQ(limit_text(Limit::fixed_window(60, seconds{90})), "fixed_window 60 per 90s");
    EXPECT_EQ(limit_text(Limit::sliding_window(5, seconds{3600})), "sliding_window 5 per 1h");
    EXPECT_EQ(limit_text(Limit::token_bucket(1, seconds{1}, 20)), "token_bucket 1 per 1s, capacity 20");
    EXPECT_EQ(limit_text(Limit::token_bucket(1, seconds{1})), "token_bucket 1 per 1s");
    EXPECT_EQ(limit_text(Limit::concurrency(3, seconds{30})), "concurrency 3 at a time, lease 30s");
    LimitSpec spec{.algorithm = Algorithm::sliding_window, .limit = 7, .per = seconds{60}};
    spec.mode = WindowMode::weighted;
    spec.buckets = 1;
    spec.count_denied = true;
    EXPECT_EQ(limit_text(Limit::make(spec)), "sliding_window 7 per 1m, weighted, 1 part, denials count");
    LimitSpec daily{.algorithm = Algorithm::fixed_window, .limit = 200};
    daily.anchor = Anchor::calendar;
    daily.unit = CalendarUnit::day;
    EXPECT_EQ(limit_text(Limit::make(daily)), "fixed_window 200 per calendar day");
}

}  // namespace
}  // namespace stint::inline v0::replay
