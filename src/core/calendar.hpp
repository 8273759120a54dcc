// Calendar windows: the days, weeks, months and years of a time zone. A day
// runs from its first existing instant to the first instant of the next, so a
// day at a change of clocks has 23 or 25 hours; weeks start on Monday.
// Zones are those of the system (IANA, read by Hinnant's date library).
// Threads: immutable.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "stint/limit.hpp"

namespace date {
class time_zone;
}

namespace stint::inline v0::core {

/// [start, end) in microseconds since the epoch.
struct Window {
    std::int64_t start = 0;
    std::int64_t end = 0;
};

class Calendar {
public:
    /// Returns: the one calendar of this zone and unit, which lives as long as
    /// the process; or why there is none. Threads: any.
    [[nodiscard]] static Result<const Calendar*> find(const std::string& timezone, CalendarUnit unit);

    /// Returns: the window that contains `t`.
    [[nodiscard]] Window window_at(std::int64_t t) const noexcept;

    /// Returns: the start of the window that ends at `end`; or, cheaper, any
    /// instant not after `now` when `now` surely lies in that window.
    [[nodiscard]] std::int64_t start_before(std::int64_t end, std::int64_t now) const noexcept;

    [[nodiscard]] const std::string& timezone() const noexcept { return timezone_; }

private:
    Calendar(const date::time_zone* zone, std::string timezone, CalendarUnit unit);

    [[nodiscard]] Window compute(std::int64_t t) const;

    const date::time_zone* zone_;
    std::string timezone_;
    CalendarUnit unit_;
};

}  // namespace stint::inline v0::core
