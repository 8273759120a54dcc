// Allowed and denied over time, in at most a few hundred steps whatever the
// log's length: when they no longer suffice, the step becomes the next wider
// round one and neighbours are added up.
// Tested by time_series_test.cpp. Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stint/time.hpp"

namespace stint::inline v0::replay {

class TimeSeries {
public:
    static constexpr std::size_t kStepsMax = 720;

    struct Step {
        std::uint64_t allowed = 0;
        std::uint64_t denied = 0;
        friend bool operator==(const Step&, const Step&) = default;
    };

    void add(Instant time, bool allowed);

    /// Makes the step at least this wide (as another series has it).
    void widen_to(std::int64_t step_seconds);

    /// Returns: the width of a step: 1, 5, 10, 30 s, 1, 5, 10, 30 min, 1, 3,
    /// 6, 12 h, 1, 7 days, and from there on doubled.
    [[nodiscard]] std::int64_t step_seconds() const noexcept { return step_seconds_; }
    /// Returns: when the first step starts, in seconds since the epoch, a
    /// multiple of the width.
    [[nodiscard]] std::int64_t start_seconds() const noexcept { return first_ * step_seconds_; }
    /// Returns: the steps from the first to the last that saw anything.
    [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }

private:
    void widen();

    std::int64_t step_seconds_ = 1;
    std::int64_t first_ = 0;  // in steps since the epoch
    std::vector<Step> steps_;
};

}  // namespace stint::inline v0::replay
