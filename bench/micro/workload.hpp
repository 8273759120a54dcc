// What the benchmarks have in common: keys of 32 bytes that are made from a
// number (so that fetching them costs no cache miss), the limit, the caller's
// clock, and a check of one key through the store's public face.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/uint128.hpp"
#include "stint/memory_store.hpp"

namespace stint::inline v0::bench {

inline constexpr std::int64_t kStartUs = 1'800'000'000'000'000;
/// A check comes every so many microseconds of the caller's clock.
inline constexpr std::int64_t kStepUs = 1;

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() noexcept { return mix(state_ += 0x9e3779b97f4a7c15); }
    /// Returns: a number below `end`, uniformly.
    std::uint64_t below(std::uint64_t end) noexcept { return static_cast<std::uint64_t>(Uint128{next()} * end >> 64); }
    static std::uint64_t mix(std::uint64_t z) noexcept {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

class Key {
public:
    explicit Key(std::uint64_t number = 0) noexcept {
        for (std::uint64_t i = 0; i < 4; ++i) words_[i] = Random::mix(number * 4 + i);
    }
    [[nodiscard]] std::string_view text() const noexcept {
        return {reinterpret_cast<const char*>(words_.data()), sizeof words_};
    }

private:
    std::array<std::uint64_t, 4> words_{};
};

/// 1 to 64 single-limit checks, ready to be sent again and again.
class Checks {
public:
    Checks(const Limit& limit, std::size_t count)
        : counter_{limit, 4711}, keys_(count), answers_(count), asks_(count), checks_(count) {
        for (std::size_t i = 0; i < count; ++i) {
            asks_[i].counters = {&counter_, 1};
            asks_[i].answers = {&answers_[i], 1};
            checks_[i].asks = {&asks_[i], 1};
        }
    }
    void set(std::size_t at, std::uint64_t key_number, std::uint64_t cost = 1) noexcept {
        keys_[at] = Key{key_number};
        asks_[at].key = keys_[at].text();
        asks_[at].cost = cost;
        checks_[at].lease_id = ++lease_;
    }
    /// Returns: whether the first one was allowed.
    bool decide(Store& store, std::int64_t now_us) noexcept {
        store.decide(checks_, Instant{Duration{now_us}});
        return checks_[0].allowed;
    }
    [[nodiscard]] std::size_t size() const noexcept { return checks_.size(); }

private:
    Counter counter_;
    std::vector<Key> keys_;
    std::vector<Answer> answers_;
    std::vector<Ask> asks_;
    std::vector<Check> checks_;
    std::uint64_t lease_ = 0;
};

}  // namespace stint::inline v0::bench
