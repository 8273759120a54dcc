#include "replay/time_series.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <random>

namespace stint::inline v0::replay {
namespace {

using Step = TimeSeries::Step;

Instant second(std::int64_t seconds) {
    return Instant{std::chrono::seconds{seconds}};
}

TEST(TimeSeries, CountsBySecondWhileThatIsFewSteps) {
    TimeSeries series;
    series.add(second(100), true);
    series.add(second(100) + Duration{999'999}, false);
    series.add(second(102), true);
    EXPECT_EQ(series.step_seconds(), 1);
    EXPECT_EQ(series.start_seconds(), 100);
    EXPECT_EQ(series.steps(), (std::vector<Step>{{1, 1}, {0, 0}, {1, 0}}));
}

TEST(TimeSeries, GrowsToTheLeftToo) {
    TimeSeries series;
    series.add(second(2), true);
    series.add(second(-1), false);
    EXPECT_EQ(series.start_seconds(), -1);
    EXPECT_EQ(series.steps(), (std::vector<Step>{{0, 1}, {0, 0}, {0, 0}, {1, 0}}));
}

TEST(TimeSeries, WidensItsStepsWhenTheyNoLongerSuffice) {
    TimeSeries series;
    series.add(second(7), true);
    series.add(second(8), true);
    series.add(second(7 + 719), false);
    EXPECT_EQ(series.step_seconds(), 1);
    series.add(second(7 + 720), false);
    EXPECT_EQ(series.step_seconds(), 5);
    EXPECT_EQ(series.start_seconds(), 5);
    EXPECT_EQ(series.steps().front(), (Step{2, 0}));
    EXPECT_EQ(series.steps().back(), (Step{0, 2}));
}

TEST(TimeSeries, ShowsAWeekInQuartersOfAnHourOrSo) {
    TimeSeries series;
    series.add(second(0), true);
    series.add(second(7 * 86'400), true);
    EXPECT_EQ(series.step_seconds(), 1800);
    EXPECT_EQ(series.steps().size(), 337U);
}

TEST(TimeSeries, TakesTheWidestSpanThatALogCanHave) {
    TimeSeries series;
    series.add(second(-62'135'596'800), true);
    series.add(second(253'402'300'799), false);
    EXPECT_LE(series.steps().size(), TimeSeries::kStepsMax);
    EXPECT_EQ(series.steps().front(), (Step{1, 0}));
    EXPECT_EQ(series.steps().back(), (Step{0, 1}));
}

TEST(TimeSeries, LosesNothingInWhateverOrderTimesCome) {
    std::mt19937_64 random{7};
    TimeSeries series;
    for (int i = 0; i < 20'000; ++i) {
        series.add(second(static_cast<std::int64_t>(random() % 10'000'000)), i % 3 != 0);
    }
    std::uint64_t allowed = 0;
    std::uint64_t denied = 0;
    for (const Step& step : series.steps()) allowed += step.allowed, denied += step.denied;
    EXPECT_EQ(allowed, 13'333U);
    EXPECT_EQ(denied, 6'667U);
    EXPECT_EQ(series.start_seconds() % series.step_seconds(), 0);
    EXPECT_LE(series.steps().size(), TimeSeries::kStepsMax);
}

TEST(TimeSeries, WidensToAnothersSteps) {
    TimeSeries series;
    series.add(second(59), true);
    series.add(second(60), false);
    series.widen_to(60);
    EXPECT_EQ(series.step_seconds(), 60);
    EXPECT_EQ(series.start_seconds(), 0);
    EXPECT_EQ(series.steps(), (std::vector<Step>{{1, 0}, {0, 1}}));
}

}  // namespace
}  // namespace stint::inline v0::replay
