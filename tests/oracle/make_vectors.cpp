// Writes tests/conformance/extra.jsonl: vectors computed by the reference
// model, for what the other files leave out. The same seed gives the same file:
//     oracle_make_vectors 20261130 >tests/conformance/extra.jsonl
#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "oracle/calendar.hpp"
#include "oracle/model.hpp"
#include "oracle/traffic.hpp"

namespace stint::inline v0::oracle {
namespace {

namespace json = boost::json;

constexpr std::int64_t kSecond = 1'000'000;

struct Ask {
    std::int64_t t_us = 0;
    std::string key;
    std::uint64_t cost = 1;
};

json::object to_json(const LimitSpec& spec) {
    json::object limit{{"algorithm", to_string(spec.algorithm)}, {"limit", spec.limit}};
    if (spec.per) limit["period_us"] = spec.per->count();
    if (spec.algorithm == Algorithm::fixed_window) limit["anchor"] = to_string(spec.anchor);
    if (spec.unit) limit["unit"] = to_string(*spec.unit);
    if (spec.timezone) limit["timezone"] = *spec.timezone;
    if (spec.algorithm == Algorithm::sliding_window) {
        limit["buckets"] = spec.buckets;
        limit["mode"] = to_string(spec.mode);
    }
    if (spec.algorithm == Algorithm::token_bucket) limit["capacity"] = ceiling(spec);
    if (spec.count_denied) limit["count_denied"] = true;
    return limit;
}

void write(const std::string& id, const std::string& title, const LimitSpec& spec, const std::vector<Ask>& asks) {
    Model model;
    json::array steps;
    for (const Ask& ask : asks) {
        const Question question{id, ask.key, {spec}, std::nullopt, ask.cost};
        const Verdict verdict = model.check({question}, ask.t_us);
        const Reply& reply = verdict.rules[0].limits[0];
        json::object step{{"t_us", ask.t_us},
                          {"key", ask.key},
                          {"cost", ask.cost},
                          {"allowed", reply.allowed},
                          {"remaining", reply.remaining},
                          {"retry_after_us", reply.retry_after_us},
                          {"reset_after_us", reply.reset_after_us}};
        if (reply.retry_after_us == kNever.count()) step["retry_after_us"] = "never";
        steps.push_back(std::move(step));
    }
    std::cout << json::serialize(
                     json::object{{"id", id}, {"title", title}, {"limit", to_json(spec)}, {"steps", std::move(steps)}})
              << '\n';
}

/// The edges of three windows around a moment, a moment beside each, and steps back over them.
void write_calendar(CalendarUnit unit, const std::string& zone, const std::string& what, std::int64_t second) {
    LimitSpec spec{.algorithm = Algorithm::fixed_window, .limit = 2, .anchor = Anchor::calendar, .unit = unit};
    spec.timezone = zone;
    const CalendarWindow window = calendar_window(unit, zone, second * kSecond);
    const CalendarWindow next = calendar_window(unit, zone, window.end_us);
    const std::int64_t start = std::max<std::int64_t>(window.start_us, 0);
    std::vector<Ask> asks;
    for (const std::int64_t t_us : {std::max<std::int64_t>(start - 1, 0), start, start + 1, start + 2, second * kSecond,
                                    window.end_us - 1, window.end_us, window.end_us - 1,
                                    window.end_us + 3'600 * kSecond, next.end_us - 1, next.end_us, next.end_us + 1}) {
        asks.push_back({t_us, "k", 1});
    }
    std::string id = fmt::format("C-{}-{}-{}", to_string(unit), zone, second);
    write(id, what, spec, asks);
}

void write_calendars() {
    const auto day = CalendarUnit::day;
    write_calendar(day, "Europe/Warsaw", "a day of 25 hours", 1'792'918'800);
    write_calendar(day, "Europe/Warsaw", "a day of 23 hours", 1'774'774'800);
    write_calendar(day, "America/Sao_Paulo", "a day whose midnight does not exist", 1'541'336'400);
    write_calendar(day, "Asia/Beirut", "a day whose midnight does not exist", 1'648'371'600);
    write_calendar(day, "Africa/Cairo", "a day whose midnight does not exist", 1'682'676'000);
    write_calendar(day, "Asia/Tehran", "a day whose midnight does not exist", 1'616'400'000);
    write_calendar(day, "Pacific/Apia", "the day before one that never was", 1'325'196'000);
    write_calendar(day, "Pacific/Kwajalein", "the day before one that never was", 745'938'000);
    write_calendar(day, "America/St_Johns", "a clock set back over midnight", 1'289'098'800);
    write_calendar(day, "America/Havana", "midnight twice", 1'730'610'000);
    write_calendar(day, "Asia/Kathmandu", "a zone of 5:45", 1'700'000'000);
    write_calendar(day, "America/New_York", "the epoch lies within a day that began before it", 0);
    write_calendar(CalendarUnit::week, "Australia/Lord_Howe", "a clock set by half an hour", 1'712'412'000);
    write_calendar(CalendarUnit::week, "Pacific/Apia", "a week of six days", 1'325'196'000);
    write_calendar(CalendarUnit::week, "UTC", "the epoch lies within a week", 0);
    write_calendar(CalendarUnit::month, "America/Sao_Paulo", "a month with a short day", 1'541'336'400);
    write_calendar(CalendarUnit::month, "Pacific/Apia", "a month without its 30th", 1'325'196'000);
    write_calendar(CalendarUnit::month, "UTC", "a leap February", 1'708'732'800);
    write_calendar(CalendarUnit::month, "America/New_York", "the epoch lies within a month", 0);
    write_calendar(CalendarUnit::year, "Pacific/Kiritimati", "the first zone to reach a year", 1'735'600'000);
    write_calendar(CalendarUnit::year, "Pacific/Apia", "a year that lost a day", 1'325'196'000);
    write_calendar(CalendarUnit::year, "America/St_Johns", "a leap year", 1'720'000'000);
}

void write_random(Random& random, const std::string& id, const LimitSpec& spec) {
    static const std::vector<std::string> kKeys{"a", "b", "", "a b", "{a}", "\xC3\xA9", std::string("n\0l", 3)};
    Timeline times{random, spec, true};
    std::vector<Ask> asks;
    for (int i = 0; i < 50; ++i) {
        const std::string& key = kKeys[random.chance(85) ? random.below(2) : random.below(kKeys.size())];
        asks.push_back({times.next(), key, std::min(random_cost(random, spec), kCostMax)});
    }
    write(id, "random traffic, the clock steps back", spec, asks);
}

void write_randoms(Random& random) {
    for (const Algorithm algorithm :
         {Algorithm::fixed_window, Algorithm::sliding_window, Algorithm::sliding_log, Algorithm::token_bucket}) {
        for (int i = 0; i < 16; ++i) {
            LimitSpec spec = random_limit(random, algorithm);
            // Long calendar windows would reach years of which no time zone can be sure.
            while (spec.unit > CalendarUnit::week) spec = random_limit(random, algorithm);
            spec.count_denied = i % 2 == 1;
            write_random(random, fmt::format("X-{}-{}", to_string(algorithm), i), spec);
        }
        LimitSpec nothing = random_limit(random, algorithm);
        nothing.limit = 0;
        nothing.capacity.reset();
        if (algorithm == Algorithm::token_bucket) nothing.capacity = 3;
        nothing.count_denied = false;
        write_random(random, fmt::format("X-{}-zero", to_string(algorithm)), nothing);
    }
}

}  // namespace
}  // namespace stint::inline v0::oracle

int main(int argc, char** argv) {
    stint::oracle::Random random{argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20261130};
    stint::oracle::write_calendars();
    stint::oracle::write_randoms(random);
    return 0;
}
