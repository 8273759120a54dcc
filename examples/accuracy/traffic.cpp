#include "traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace accuracy {
namespace {

constexpr std::int64_t kEndUs = kPeriods * kPeriodUs;
constexpr std::int64_t kPartUs = kPeriodUs / 60;
constexpr double kLimitRate = static_cast<double>(kLimit) / static_cast<double>(kPeriodUs);  // requests a microsecond

double uniform(std::mt19937_64& random) {
    return static_cast<double>(random() >> 11U) * 0x1.0p-53;
}

void burst(const Send& send, std::int64_t t_us, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) send(t_us);
}

/// Evenly spaced, at a multiple of the limit's rate.
void add_steady(std::vector<Traffic>& kinds) {
    for (const double rate : {0.5, 0.9, 1.0, 1.1, 2.0, 10.0}) {
        kinds.push_back({fmt::format("steady, {} times the limit", rate), [rate](const Send& send, std::mt19937_64&) {
                             const double gap = 1 / (rate * kLimitRate);
                             for (double t = 0; t < static_cast<double>(kEndUs); t += gap) {
                                 send(static_cast<std::int64_t>(t));
                             }
                         }});
    }
}

/// Independent visitors.
void add_poisson(std::vector<Traffic>& kinds) {
    for (const double rate : {0.5, 0.9, 1.0, 1.1, 2.0, 10.0}) {
        kinds.push_back(
            {fmt::format("Poisson, {} times the limit", rate), [rate](const Send& send, std::mt19937_64& random) {
                 double t = 0;
                 while (true) {
                     t -= std::log(1 - uniform(random)) / (rate * kLimitRate);
                     if (t >= static_cast<double>(kEndUs)) return;
                     send(static_cast<std::int64_t>(t));
                 }
             }});
    }
}

/// The whole limit at once, at places in the window that matter.
void add_bursts(std::vector<Traffic>& kinds) {
    const auto every = [&](const char* name, std::int64_t gap, std::int64_t offset, std::uint64_t size) {
        kinds.push_back({name, [=](const Send& send, std::mt19937_64&) {
                             for (std::int64_t t = offset; t < kEndUs; t += gap) burst(send, t, size);
                         }});
    };
    every("a burst of N as each window of the clock begins", kPeriodUs, 0, kLimit);
    every("a burst of N as each window of the clock ends", kPeriodUs, kPeriodUs - 1'000, kLimit);
    every("a burst of N in the middle of each window", kPeriodUs, kPeriodUs / 2, kLimit);
    every("a burst of 2 N every half period", kPeriodUs / 2, 0, 2 * kLimit);
    every("a burst of N / 10 every twentieth of a period", kPeriodUs / 20, 0, kLimit / 10);
    kinds.push_back({"a burst of N on both sides of every second edge", [](const Send& send, std::mt19937_64&) {
                         for (std::int64_t t = kPeriodUs; t < kEndUs; t += 2 * kPeriodUs) {
                             burst(send, t - 1'000, kLimit);
                             burst(send, t, kLimit);
                         }
                     }});
}

/// Four times the limit for a while, then silence for as long.
void add_on_off(std::vector<Traffic>& kinds) {
    for (const std::int64_t parts : {1, 6, 15, 30, 60, 90}) {
        kinds.push_back({fmt::format("on and off, {} s each, 4 times the limit", parts),
                         [parts](const Send& send, std::mt19937_64&) {
                             for (std::int64_t t = 0; t < kEndUs;
                                  t += kPeriodUs / static_cast<std::int64_t>(4 * kLimit)) {
                                 if (t / (parts * kPartUs) % 2 == 0) send(t);
                             }
                         }});
    }
}

/// A rate that changes: `rate` gives multiples of the limit's for a time in periods.
void add_changing(std::vector<Traffic>& kinds) {
    const auto add = [&](const char* name, double (*rate)(double periods)) {
        kinds.push_back({name, [rate](const Send& send, std::mt19937_64&) {
                             double due = 0;
                             for (std::int64_t t = 0; t < kEndUs; t += 10'000) {
                                 due += 10'000 * kLimitRate * rate(static_cast<double>(t) / kPeriodUs);
                                 for (; due >= 1; --due) send(t);
                             }
                         }});
    };
    add("ramp from 0 to 4 times the limit", [](double t) { return 4 * t / kPeriods; });
    add("ramp from 4 times the limit to 0", [](double t) { return 4 - 4 * t / kPeriods; });
    add("saw of one period, up to 4 times", [](double t) { return 4 * (t - std::floor(t)); });
    add("saw of three periods, up to 4 times", [](double t) { return 4 * (t / 3 - std::floor(t / 3)); });
    add("wave of one period, up to 2 times", [](double t) { return 1 + std::sin(2 * std::numbers::pi * t); });
    add("wave of seven periods, up to 2 times", [](double t) { return 1 + std::sin(2 * std::numbers::pi * t / 7); });
}

/// Many clients whose timers fire at the same moments; together twice the limit.
void add_synchronized(std::vector<Traffic>& kinds) {
    for (const std::int64_t parts : {1, 5, 10, 15, 30, 120}) {
        kinds.push_back({fmt::format("clients that all poll every {} s, 2 times the limit", parts),
                         [parts](const Send& send, std::mt19937_64&) {
                             double due = 0;
                             for (std::int64_t t = 0; t < kEndUs; t += parts * kPartUs) {
                                 due += 2 * static_cast<double>(kLimit) * static_cast<double>(parts) / 60;
                                 for (; due >= 1; --due) send(t);
                             }
                         }});
    }
}

/// Clients that look for the weak place.
void add_hunters(std::vector<Traffic>& kinds) {
    kinds.push_back({"a flood, one request a millisecond", [](const Send& send, std::mt19937_64&) {
                         for (std::int64_t t = 0; t < kEndUs; t += 1'000) send(t);
                     }});
    kinds.push_back({"a client that waits exactly as told", [](const Send& send, std::mt19937_64&) {
                         for (std::int64_t t = 0; t < kEndUs;) t += send(t);
                     }});
    kinds.push_back({"N at the end of a part, then a flood", [](const Send& send, std::mt19937_64&) {
                         for (std::int64_t begin = 0; begin < kEndUs; begin += 4 * kPeriodUs) {
                             burst(send, begin + kPartUs - 1'000, kLimit);
                             for (std::int64_t t = kPartUs; t < 2 * kPeriodUs; t += 1'000) send(begin + t);
                         }
                     }});
    kinds.push_back({"N late in a window, then a flood", [](const Send& send, std::mt19937_64&) {
                         for (std::int64_t begin = 0; begin < kEndUs; begin += 4 * kPeriodUs) {
                             burst(send, begin + kPeriodUs - 1'000, kLimit);
                             for (std::int64_t t = kPeriodUs; t < 2 * kPeriodUs; t += 1'000) send(begin + t);
                         }
                     }});
    kinds.push_back({"bursts that drift against the clock", [](const Send& send, std::mt19937_64&) {
                         for (std::int64_t t = 0; t < kEndUs; t += kPeriodUs + kPartUs / 2) burst(send, t, kLimit);
                     }});
    kinds.push_back({"bursts of random size at random times", [](const Send& send, std::mt19937_64& random) {
                         for (double t = 0; t < static_cast<double>(kEndUs);) {
                             const double size = -std::log(1 - uniform(random)) * static_cast<double>(kLimit) / 4;
                             burst(send, static_cast<std::int64_t>(t), static_cast<std::uint64_t>(size) + 1);
                             t -= std::log(1 - uniform(random)) * kPeriodUs / 8;
                         }
                     }});
}

}  // namespace

std::vector<Traffic> all_kinds() {
    std::vector<Traffic> kinds;
    add_steady(kinds);
    add_poisson(kinds);
    add_bursts(kinds);
    add_on_off(kinds);
    add_changing(kinds);
    add_synchronized(kinds);
    add_hunters(kinds);
    return kinds;
}

}  // namespace accuracy
