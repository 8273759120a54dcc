#include "base/duration_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace stint::inline v0 {
namespace {

struct Unit {
    std::int64_t microseconds;
    std::array<std::string_view, 4> names;  // the short one first
};

constexpr std::array<Unit, 6> kUnits{{
    {604'800'000'000, {"w", "week", "weeks", ""}},
    {86'400'000'000, {"d", "day", "days", ""}},
    {3'600'000'000, {"h", "hour", "hours", ""}},
    {60'000'000, {"m", "min", "minute", "minutes"}},
    {1'000'000, {"s", "sec", "second", "seconds"}},
    {1'000, {"ms", "millisecond", "milliseconds", ""}},
}};

constexpr const char* kExamples = "a whole number and a unit (ms, s, m, h, d, w), such as 250ms, 60s or 1h";

tl::unexpected<std::string> bad(std::string_view text, const std::string& what) {
    return failure("'" + std::string{text} + "' " + what);
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
    if (text.starts_with('-')) return bad(text, "is negative; a duration is " + std::string{kExamples});
    const auto digits_end = std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; });
    const auto digits = text.substr(0, static_cast<std::size_t>(digits_end - text.begin()));
    if (digits.empty()) return bad(text, "is not a duration; write " + std::string{kExamples});
    std::string_view unit_name = text.substr(digits.size());
    if (unit_name.empty()) return bad(text, "has no unit; write " + std::string{kExamples});
    if (unit_name.front() == ' ') unit_name.remove_prefix(1);
    const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& candidate) {
        return !unit_name.empty() &&
               std::find(candidate.names.begin(), candidate.names.end(), unit_name) != candidate.names.end();
    });
    if (unit == kUnits.end()) return bad(text, "is not a duration; write " + std::string{kExamples});
    std::int64_t number = 0;
    for (const char c : digits) {
        number = number * 10 + (c - '0');
        if (number > kPeriodMax.count() / unit->microseconds) {
            return bad(text, "is too long; the longest possible is " + write_duration(kPeriodMax));
        }
    }
    return Duration{number * unit->microseconds};
}

std::string write_duration(Duration duration) {
    const std::int64_t us = duration.count();
    if (us == 0) return "0s";
    for (const Unit& unit : kUnits) {
        if (us % unit.microseconds == 0) {
            return std::to_string(us / unit.microseconds) + std::string{unit.names[0]};
        }
    }
    return std::to_string(us) + "us";
}

}  // namespace stint::inline v0
