#include "oracle/calendar.hpp"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <optional>
#include <tuple>

#include "oracle/wide.hpp"

namespace stint::inline v0::oracle {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kSecondUs = 1'000'000;

/// For as long as it lives, the C library's local time is the zone's.
class LocalZone {
public:
    explicit LocalZone(const std::string& zone) {
        if (const char* before = std::getenv("TZ")) before_ = before;
        setenv("TZ", (":" + zone).c_str(), 1);
        tzset();
    }
    LocalZone(const LocalZone&) = delete;
    LocalZone& operator=(const LocalZone&) = delete;
    ~LocalZone() {
        if (before_) {
            setenv("TZ", before_->c_str(), 1);
        } else {
            unsetenv("TZ");
        }
        tzset();
    }

    /// Returns: local time minus UTC, in seconds, at this moment.
    [[nodiscard]] static std::int64_t offset(std::int64_t second) {
        const std::time_t moment = second;
        std::tm parts{};
        localtime_r(&moment, &parts);
        return parts.tm_gmtoff;
    }

private:
    std::optional<std::string> before_;
};

/// Returns: the first moment of which the local clock shows this day or a later one.
std::int64_t first_instant(std::int64_t day) {
    constexpr std::int64_t kStep = 900;  // no two changes of a zone lie nearer to each other
    const std::int64_t wanted = day * kDay;
    std::int64_t begin = wanted - 30 * 3600;
    while (true) {
        const std::int64_t offset = LocalZone::offset(begin);
        std::int64_t end = begin + kStep;
        if (LocalZone::offset(end) != offset) {  // the clock is changed in between: find when
            std::int64_t before = begin;
            while (end - before > 1) {
                const std::int64_t middle = before + (end - before) / 2;
                (LocalZone::offset(middle) == offset ? before : end) = middle;
            }
        }
        const std::int64_t reached = wanted - offset;
        if (reached <= begin) return begin;
        if (reached < end) return reached;
        begin = end;
    }
}

/// Returns: the number of the unit that holds this day; and its first day, from its number.
std::int64_t unit_of_day(CalendarUnit unit, std::int64_t day) {
    const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
    const std::int64_t year = int{date.year()};
    switch (unit) {
        case CalendarUnit::day:
            return day;
        case CalendarUnit::week:
            return static_cast<std::int64_t>(floor_div(day + 3, 7));  // 1969-12-29: a Monday
        case CalendarUnit::month:
            return year * 12 + unsigned{date.month()} - 1;
        case CalendarUnit::year:
            return year;
    }
    return 0;
}

std::int64_t first_day(CalendarUnit unit, std::int64_t number) {
    const auto day_of = [](std::int64_t year, std::int64_t month) {
        const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(year)},
                                               std::chrono::month{static_cast<unsigned>(month)}, std::chrono::day{1}};
        return std::int64_t{std::chrono::sys_days{date}.time_since_epoch().count()};
    };
    switch (unit) {
        case CalendarUnit::day:
            return number;
        case CalendarUnit::week:
            return number * 7 - 3;
        case CalendarUnit::month:
            return day_of(static_cast<std::int64_t>(floor_div(number, 12)), number % 12 + 1);
        case CalendarUnit::year:
            return day_of(number, 1);
    }
    return 0;
}

}  // namespace

CalendarWindow calendar_window(CalendarUnit unit, const std::string& zone, std::int64_t t_us) {
    // Looking up a boundary walks over days of changes: remember the last answers.
    static std::map<std::tuple<CalendarUnit, std::string>, std::map<std::int64_t, CalendarWindow>> known;
    auto& windows = known[{unit, zone}];
    if (auto after = windows.upper_bound(t_us); after != windows.begin()) {
        const CalendarWindow& window = std::prev(after)->second;
        if (t_us < window.end_us) return window;
    }

    const LocalZone local{zone};
    const auto boundary = [&](std::int64_t number) { return first_instant(first_day(unit, number)) * kSecondUs; };
    const auto second = static_cast<std::int64_t>(floor_div(t_us, kSecondUs));
    std::int64_t number =
        unit_of_day(unit, static_cast<std::int64_t>(floor_div(second + LocalZone::offset(second), kDay)));
    // A clock set back over midnight shows the old day once more, in the new day's window.
    while (boundary(number + 1) <= t_us) ++number;
    while (boundary(number) > t_us) --number;
    const CalendarWindow window{boundary(number), boundary(number + 1)};
    windows[window.start_us] = window;
    return window;
}

}  // namespace stint::inline v0::oracle
