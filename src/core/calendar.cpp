#include "core/calendar.hpp"

#include <date/tz.h>
#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace stint::inline v0::core {
namespace {

using Micros = std::chrono::microseconds;

/// Zone files list transitions, for most zones up to 2037; what is later
/// follows a yearly rule of month, week and weekday, which the library does not
/// read. A year among the last listed ones on which the same weekdays fall has
/// the same rule, and stands in.
constexpr date::year kFirstStandIn{2027};
constexpr date::year kLastListed{2037};
constexpr date::sys_days kFarAhead{date::year{2200} / date::January / 1};

/// Returns: how many days this day lies after the one that stands in for it.
date::days shift_of(const date::time_zone& zone, date::sys_days day) {
    const date::year_month_day date{day};
    if (date.year() <= kLastListed || zone.get_info(day).end < kFarAhead) return date::days{0};
    // The leap day lies between the two halves that are matched.
    const auto half = date.month() >= date::March ? date::March / 1 : date::January / 1;
    const date::sys_days begin{date.year() / half};
    date::year stand_in = kFirstStandIn;
    while (date::weekday{date::sys_days{stand_in / half}} != date::weekday{begin}) ++stand_in;
    return begin - date::sys_days{stand_in / half};
}

date::local_time<Micros> to_local(const date::time_zone& zone, date::sys_time<Micros> t) {
    const date::days shift = shift_of(zone, date::floor<date::days>(t));
    return zone.to_local(t - shift) + shift;
}

/// Returns: the first instant of this local day that exists.
std::int64_t first_instant(const date::time_zone& zone, date::local_days real_day) {
    const date::days shift = shift_of(zone, date::sys_days{real_day.time_since_epoch()});
    const date::local_days day = real_day - shift;
    const Micros later = shift;
    const date::local_info info = zone.get_info(date::local_time<Micros>{day});
    if (info.result == date::local_info::nonexistent) {
        return (std::chrono::duration_cast<Micros>(info.second.begin.time_since_epoch()) + later).count();
    }
    // At an ambiguous midnight `first` is the earlier of the two.
    return (std::chrono::duration_cast<Micros>(day.time_since_epoch() - info.first.offset) + later).count();
}

/// Returns: the first day of the unit that contains `day`.
date::local_days first_day(date::local_days day, CalendarUnit unit) {
    const date::year_month_day ymd{day};
    switch (unit) {
        case CalendarUnit::day:
            return day;
        case CalendarUnit::week:
            return day - (date::weekday{day} - date::Monday);
        case CalendarUnit::month:
            return date::local_days{ymd.year() / ymd.month() / 1};
        case CalendarUnit::year:
            break;
    }
    return date::local_days{ymd.year() / date::January / 1};
}

/// Returns: the first day of the unit after the one that begins at `first`.
date::local_days next_first_day(date::local_days first, CalendarUnit unit) {
    const date::year_month_day ymd{first};
    switch (unit) {
        case CalendarUnit::day:
            return first + date::days{1};
        case CalendarUnit::week:
            return first + date::weeks{1};
        case CalendarUnit::month:
            return date::local_days{ymd + date::months{1}};
        case CalendarUnit::year:
            break;
    }
    return date::local_days{ymd + date::years{1}};
}

/// A window of this unit is never shorter than this, whatever the clocks do.
std::int64_t shortest_us(CalendarUnit unit) {
    constexpr std::int64_t kHourUs = 3'600'000'000;
    switch (unit) {
        case CalendarUnit::day:
            return 12 * kHourUs;
        case CalendarUnit::week:
            return 5 * 24 * kHourUs;
        case CalendarUnit::month:
            return 26 * 24 * kHourUs;
        case CalendarUnit::year:
            break;
    }
    return 363 * 24 * kHourUs;
}

}  // namespace

Calendar::Calendar(const date::time_zone* zone, std::string timezone, CalendarUnit unit)
    : zone_(zone), timezone_(std::move(timezone)), unit_(unit) {}

Result<const Calendar*> Calendar::find(const std::string& timezone, CalendarUnit unit) {
    // Limits are small values that point here, so calendars are never freed;
    // there are at most four for each time zone that was ever configured.
    static std::mutex mutex;
    static std::map<std::pair<std::string, CalendarUnit>, std::unique_ptr<const Calendar>> calendars;

    const std::lock_guard lock{mutex};
    auto& calendar = calendars[{timezone, unit}];
    if (!calendar) {
        try {
            calendar.reset(new Calendar{date::locate_zone(timezone), timezone, unit});
        } catch (const std::exception&) {
            calendars.erase({timezone, unit});
            return failure(
                fmt::format("unknown time zone '{}': an IANA name such as Europe/Berlin is expected", timezone));
        }
    }
    return calendar.get();
}

Window Calendar::window_at(std::int64_t t) const noexcept {
    // Zone arithmetic costs about a microsecond; most checks fall into the
    // window of the check before.
    struct Remembered {
        const Calendar* calendar = nullptr;
        Window window;
    };
    thread_local std::array<Remembered, 8> remembered;
    Remembered& last = remembered[(reinterpret_cast<std::uintptr_t>(this) >> 6) % remembered.size()];
    if (last.calendar != this || t < last.window.start || t >= last.window.end) last = {this, compute(t)};
    return last.window;
}

Window Calendar::compute(std::int64_t t) const {
    const auto local = to_local(*zone_, date::sys_time<Micros>{Micros{t}});
    date::local_days first = first_day(date::floor<date::days>(local), unit_);
    date::local_days next = next_first_day(first, unit_);
    Window window{first_instant(*zone_, first), first_instant(*zone_, next)};
    // Where clocks go back over midnight, the evening that is lived twice
    // belongs to the day that had already begun.
    while (window.end <= t) {
        next = next_first_day(next, unit_);
        window = {window.end, first_instant(*zone_, next)};
    }
    return window;
}

std::int64_t Calendar::start_before(std::int64_t end, std::int64_t now) const noexcept {
    if (end - now <= shortest_us(unit_)) return now;
    return window_at(end - 1).start;
}

}  // namespace stint::inline v0::core
