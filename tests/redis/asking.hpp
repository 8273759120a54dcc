// Asking a store as the tests do, and what is found in a server afterwards.
// Threads: none of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "redis/redis_server.hpp"
#include "stint/redis_store.hpp"
#include "store/redis/testing_check.hpp"

namespace stint::inline v0::testing_redis {

using store::redis::AskSpec;
using store::redis::TestCheck;

inline const Limit kTenAMinute = Limit::fixed_window(10, std::chrono::seconds{60});
inline const Limit kMany = Limit::fixed_window(1'000'000, std::chrono::hours{1});

[[nodiscard]] inline RedisOptions options_for(std::uint16_t port,
                                              std::chrono::milliseconds deadline = std::chrono::seconds{5}) {
    RedisOptions options;
    options.addresses = {{"127.0.0.1", port}};
    options.deadline = deadline;
    return options;
}

struct Told {
    bool allowed = false;
    StoreError error{};
    Answer answer{};
};

/// Asks once about the first limit of one rule.
inline Told ask(Store& store, AskSpec spec, bool peek = false, std::optional<Instant> now = std::nullopt) {
    TestCheck check{std::move(spec), peek};
    store.decide({&check.check, 1}, now);
    return {check.check.allowed, check.check.error, check.answer()};
}

/// Returns: how many units of the first limit are used.
inline std::uint64_t used(Store& store, AskSpec spec) {
    const std::uint64_t limit = spec.limits[0].limit();
    spec.cost = 0;
    return limit - ask(store, std::move(spec), true).answer.remaining;
}

/// Returns: PTTL of each key, by name.
[[nodiscard]] inline std::map<std::string, std::int64_t> ttls(const RedisServer& server) {
    std::map<std::string, std::int64_t> result;
    const std::string printed = server.cli(
        "EVAL \"local all = {} for _, k in ipairs(redis.call('KEYS', '*')) do all[#all + 1] = k; "
        "all[#all + 1] = redis.call('PTTL', k) end return all\" 0");
    std::vector<std::string> lines{""};
    for (const char c : printed) {
        if (c == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += c;
        }
    }
    for (std::size_t i = 0; i + 1 < lines.size(); i += 2) result[lines[i]] = std::stoll(lines[i + 1]);
    return result;
}

}  // namespace stint::inline v0::testing_redis
