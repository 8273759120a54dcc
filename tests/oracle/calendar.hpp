// Days, weeks, months and years of a time zone, taken from the C library
// (tzset, localtime_r), so that nothing is shared with the product, which
// reads the zones by another library. Tested by model_test.cpp.
// Threads: changes the process's time zone; call from one thread only.
#pragma once

#include <cstdint>
#include <string>

#include "stint/limit.hpp"

namespace stint::inline v0::oracle {

struct CalendarWindow {
    std::int64_t start_us = 0;
    std::int64_t end_us = 0;
};

/// Returns: the window of the zone's calendar that holds this time. A day runs
/// from its first existing instant to the first of the next day that has one.
[[nodiscard]] CalendarWindow calendar_window(CalendarUnit unit, const std::string& zone, std::int64_t t_us);

}  // namespace stint::inline v0::oracle
