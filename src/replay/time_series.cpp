#include "replay/time_series.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace stint::inline v0::replay {
namespace {

std::int64_t floor_div(std::int64_t value, std::int64_t unit) noexcept {
    return value / unit - (value % unit < 0 ? 1 : 0);
}

// Each width is a multiple of the one before, so that steps add up.
std::int64_t next_width(std::int64_t width) noexcept {
    constexpr std::array<std::int64_t, 14> kWidths{1,    5,    10,    30,    60,    300,   600,
                                                   1800, 3600, 10800, 21600, 43200, 86400, 604800};
    const auto next = std::upper_bound(kWidths.begin(), kWidths.end(), width);
    return next != kWidths.end() ? *next : width * 2;
}

}  // namespace

void TimeSeries::widen() {
    const std::int64_t wider = next_width(step_seconds_);
    const std::int64_t ratio = wider / step_seconds_;
    const std::int64_t first = floor_div(first_, ratio);
    std::vector<Step> merged;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const auto place = static_cast<std::size_t>(floor_div(first_ + static_cast<std::int64_t>(i), ratio) - first);
        merged.resize(std::max(merged.size(), place + 1));
        merged[place].allowed += steps_[i].allowed;
        merged[place].denied += steps_[i].denied;
    }
    steps_ = std::move(merged);
    first_ = first;
    step_seconds_ = wider;
}

void TimeSeries::widen_to(std::int64_t step_seconds) {
    while (step_seconds_ < step_seconds) widen();
}

void TimeSeries::add(Instant time, bool allowed) {
    const std::int64_t second = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
    std::int64_t index = floor_div(second, step_seconds_);
    if (steps_.empty()) first_ = index;
    for (;;) {
        index = floor_div(second, step_seconds_);
        const std::int64_t low = std::min(first_, index);
        const std::int64_t high = std::max(first_ + static_cast<std::int64_t>(steps_.size()), index + 1);
        if (high - low <= static_cast<std::int64_t>(kStepsMax)) break;
        widen();
    }
    if (index < first_) {
        steps_.insert(steps_.begin(), static_cast<std::size_t>(first_ - index), Step{});
        first_ = index;
    }
    const auto place = static_cast<std::size_t>(index - first_);
    if (place >= steps_.size()) steps_.resize(place + 1);
    (allowed ? steps_[place].allowed : steps_[place].denied) += 1;
}

}  // namespace stint::inline v0::replay
