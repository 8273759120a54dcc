// Contract 11 at full size: 10^8 invented keys against a store of 64 MiB in
// which 10,000 keys are at their limit. Memory stays bounded, those keys
// survive, and the store does not slow down as it floods. Prints what
// docs/performance.md quotes. STINT_FLOOD_KEYS sets the number of keys.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "stint/memory_store.hpp"
#include "support/resident_bytes.hpp"

namespace stint::inline v0 {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr std::size_t kMemory = std::size_t{64} << 20;
constexpr std::uint64_t kVictims = 10'000;
constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kNow = 1'800'000'000 * kSecond;
constexpr std::size_t kBatch = 64;

std::uint64_t flood_keys() {
    const char* text = std::getenv("STINT_FLOOD_KEYS");
    return text == nullptr ? 100'000'000 : std::strtoull(text, nullptr, 10);
}

struct Kind {
    const char* name;
    Limit limit;
    int requests;  // of each invented key
};

void PrintTo(const Kind& kind, std::ostream* out) {
    *out << kind.name;
}

/// Sends checks of the keys first … first + kBatch - 1.
class Sender {
public:
    explicit Sender(const Limit& limit) : counter_{limit, 1} {
        for (std::size_t i = 0; i < kBatch; ++i) {
            asks_[i].counters = {&counter_, 1};
            asks_[i].answers = {&answers_[i], 1};
            checks_[i].asks = {&asks_[i], 1};
        }
    }
    void send(Store& store, std::uint64_t first, std::int64_t now) {
        for (std::size_t i = 0; i < kBatch; ++i) {
            keys_[i] = first + i;
            asks_[i].key = {reinterpret_cast<const char*>(&keys_[i]), sizeof keys_[i]};
            checks_[i].lease_id = ++lease_;
        }
        store.decide(checks_, Instant{Duration{now}});
    }
    [[nodiscard]] bool allowed(std::size_t i) const { return checks_[i].allowed; }
    void peek(bool on) {
        for (Check& check : checks_) check.peek = on;
    }

private:
    Counter counter_;
    std::array<std::uint64_t, kBatch> keys_{};
    std::array<Answer, kBatch> answers_;
    std::array<Ask, kBatch> asks_;
    std::array<Check, kBatch> checks_;
    std::uint64_t lease_ = 0;
};

class FloodTest : public testing::TestWithParam<Kind> {};

TEST_P(FloodTest, MemoryIsBoundedAndKeysAtTheirLimitSurvive) {
    const Limit limit = GetParam().limit;
    const std::size_t before = resident_bytes();
    MemoryStore store{{.max_memory = kMemory}};
    Sender sender{limit};
    for (int unit = 0; unit < 10; ++unit) {
        for (std::uint64_t key = 0; key < kVictims; key += kBatch) sender.send(store, key, kNow + unit * kSecond);
    }

    const std::uint64_t keys = flood_keys();
    const std::uint64_t tenth = keys / 10 / kBatch * kBatch;
    std::vector<double> rates;  // million checks a second, for each tenth of the flood
    std::size_t most_resident = 0;
    for (std::uint64_t part = 0; part < 10; ++part) {
        const auto start = std::chrono::steady_clock::now();
        for (std::uint64_t key = part * tenth; key < (part + 1) * tenth; key += kBatch) {
            for (int request = 0; request < GetParam().requests; ++request) {
                sender.send(store, 1'000'000'000 + key,
                            kNow + 10 * kSecond + request * kSecond + static_cast<std::int64_t>(key / 1000));
            }
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        rates.push_back(static_cast<double>(tenth) * GetParam().requests / took.count() / 1e6);
        most_resident = std::max(most_resident, resident_bytes() - before);
    }

    sender.peek(true);
    std::uint64_t survived = 0;
    std::uint64_t asked = 0;
    for (std::uint64_t key = 0; key < kVictims; key += kBatch) {
        sender.send(store, key, kNow + 10 * kSecond);
        for (std::size_t i = 0; i < kBatch; ++i, ++asked) survived += !sender.allowed(i);
    }
    fmt::print(
        "{:<28} {} of {} at their limit survived, resident {:.1f} MiB of {} MiB, "
        "first tenth {:.2f}, last {:.2f} million checks/s\n",
        GetParam().name, survived, asked, static_cast<double>(most_resident) / (1 << 20), kMemory >> 20, rates.front(),
        rates.back());
    EXPECT_EQ(survived, asked);
    EXPECT_LE(most_resident, kMemory * 115 / 100 + 20'000'000);
    EXPECT_LE(store.stats().memory_bytes, kMemory);
}

Limit weighted() {
    return Limit::make({.limit = 10, .per = hours{1}, .mode = WindowMode::weighted, .buckets = 1});
}
Limit calendar_day() {
    return Limit::make(
        {.algorithm = Algorithm::fixed_window, .limit = 10, .anchor = Anchor::calendar, .unit = CalendarUnit::day});
}

INSTANTIATE_TEST_SUITE_P(Kinds, FloodTest,
                         testing::Values(Kind{"fixed_window first", Limit::fixed_window(10, hours{1}), 1},
                                         Kind{"fixed_window clock", Limit::fixed_window(10, hours{1}, Anchor::clock),
                                              1},
                                         Kind{"fixed_window calendar", calendar_day(), 1},
                                         Kind{"sliding_window strict", Limit::sliding_window(10, hours{1}), 1},
                                         Kind{"sliding_window weighted", weighted(), 1},
                                         Kind{"sliding_log", Limit::sliding_log(10, hours{1}), 1},
                                         Kind{"sliding_log, 2 requests", Limit::sliding_log(10, hours{1}), 2},
                                         Kind{"token_bucket", Limit::token_bucket(10, hours{1}), 1},
                                         Kind{"concurrency", Limit::concurrency(10, hours{1}), 1}));

}  // namespace
}  // namespace stint::inline v0
