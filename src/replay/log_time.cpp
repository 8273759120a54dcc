#include "replay/log_time.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

namespace stint::inline v0::replay {
namespace {

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Reads text from left to right; the first thing that does not fit ends it.
class Scanner {
public:
    explicit Scanner(std::string_view text) noexcept : text_(text) {}

    [[nodiscard]] bool done() const noexcept { return !failed_ && text_.empty(); }
    [[nodiscard]] bool next_is(char c) const noexcept { return !text_.empty() && text_.front() == c; }
    [[nodiscard]] bool failed() const noexcept { return failed_; }

    bool skip(char c) noexcept {
        if (!next_is(c)) return false;
        text_.remove_prefix(1);
        return true;
    }
    void expect(char c) noexcept { failed_ |= !skip(c); }

    // Exactly `count` digits.
    int digits(std::size_t count) noexcept {
        int value = 0;
        if (text_.size() < count) {
            failed_ = true;
            return 0;
        }
        for (std::size_t i = 0; i < count; ++i) {
            failed_ |= !is_digit(text_[i]);
            value = value * 10 + (text_[i] - '0');
        }
        text_.remove_prefix(count);
        return failed_ ? 0 : value;
    }

    // A fraction of a second in microseconds, if one is there.
    int fraction_us() noexcept {
        if (!next_is('.') && !next_is(',')) return 0;
        text_.remove_prefix(1);
        failed_ |= text_.empty() || !is_digit(text_.front());
        int value = 0;
        int unit = 100'000;
        while (!text_.empty() && is_digit(text_.front())) {
            value += unit * (text_.front() - '0');
            unit /= 10;
            text_.remove_prefix(1);
        }
        return value;
    }

    unsigned month_name() noexcept {
        constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
        if (text_.size() >= 3) {
            const std::array<char, 3> name{lower(text_[0]), lower(text_[1]), lower(text_[2])};
            text_.remove_prefix(3);
            for (unsigned month = 0; month < 12; ++month) {
                if (kMonths.substr(month * 3, 3) == std::string_view{name.data(), 3}) return month + 1;
            }
        }
        failed_ = true;
        return 0;
    }

    // `+hhmm`, and where `iso` also `+hh:mm`, `+hh`, `Z`; in seconds east.
    int zone_seconds(bool iso) noexcept {
        if (iso && (skip('Z') || skip('z'))) return 0;
        const bool west = next_is('-');
        failed_ |= text_.empty() || (!west && !next_is('+'));
        if (failed_) return 0;
        text_.remove_prefix(1);
        const int hours = digits(2);
        if (iso && text_.empty()) return (west ? -1 : 1) * hours * 3600;
        if (iso) skip(':');
        const int minutes = digits(2);
        failed_ |= hours > 23 || minutes > 59;
        return (west ? -1 : 1) * (hours * 3600 + minutes * 60);
    }

private:
    static constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

    std::string_view text_;
    bool failed_ = false;
};

struct Civil {
    int year = 0;
    unsigned month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int us = 0;
    int zone_seconds = 0;
};

std::optional<Instant> to_instant(const Civil& at) noexcept {
    const std::chrono::year_month_day date{std::chrono::year{at.year}, std::chrono::month{at.month},
                                           std::chrono::day{static_cast<unsigned>(at.day)}};
    if (at.year < 1 || !date.ok() || at.hour > 23 || at.minute > 59 || at.second > 60) return std::nullopt;
    const std::chrono::seconds in_day{at.hour * 3600 + at.minute * 60 + at.second - at.zone_seconds};
    return Instant{std::chrono::sys_days{date}} + in_day + Duration{at.us};
}

void read_clock(Scanner& scan, Civil& at) noexcept {
    at.hour = scan.digits(2);
    scan.expect(':');
    at.minute = scan.digits(2);
    scan.expect(':');
    at.second = scan.digits(2);
    at.us = scan.fraction_us();
}

}  // namespace

std::optional<Instant> parse_clf_time(std::string_view text) noexcept {
    Scanner scan{text};
    Civil at;
    at.day = scan.digits(2);
    scan.expect('/');
    at.month = scan.month_name();
    scan.expect('/');
    at.year = scan.digits(4);
    scan.expect(':');
    if (scan.failed()) return std::nullopt;
    read_clock(scan, at);
    scan.expect(' ');
    at.zone_seconds = scan.zone_seconds(false);
    if (!scan.done()) return std::nullopt;
    return to_instant(at);
}

std::optional<Instant> parse_iso_time(std::string_view text) noexcept {
    Scanner scan{text};
    Civil at;
    at.year = scan.digits(4);
    scan.expect('-');
    at.month = static_cast<unsigned>(scan.digits(2));
    scan.expect('-');
    at.day = scan.digits(2);
    if (!scan.skip('T') && !scan.skip('t')) scan.expect(' ');
    if (scan.failed()) return std::nullopt;
    read_clock(scan, at);
    scan.skip(' ');
    at.zone_seconds = scan.zone_seconds(true);
    if (!scan.done()) return std::nullopt;
    return to_instant(at);
}

std::optional<Instant> time_from_number(double number) noexcept {
    if (!std::isfinite(number) || number < 0) return std::nullopt;
    constexpr double kNanosecondsMost = 9e18;
    if (number >= 1e17) return Instant{Duration{std::llround(std::min(number, kNanosecondsMost) / 1e3)}};
    const std::int64_t unit_us = number < 1e11 ? 1'000'000 : number < 1e14 ? 1'000 : 1;
    // The whole and the fraction apart, for together they would not fit a double.
    const double whole = std::floor(number);
    const auto fraction_us = std::llround((number - whole) * static_cast<double>(unit_us));
    return Instant{Duration{static_cast<std::int64_t>(whole) * unit_us + fraction_us}};
}

std::optional<Instant> parse_any_time(std::string_view text) noexcept {
    if (text.size() > 2 && text[2] == '/') return parse_clf_time(text);
    if (text.size() > 4 && text[4] == '-') return parse_iso_time(text);
    if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return time_from_number(number);
}

}  // namespace stint::inline v0::replay
