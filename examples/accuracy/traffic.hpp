// The kinds of traffic that the accuracy of the algorithms is measured with:
// 42 ways to ask a limit of 100 in 60 seconds, polite and otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "stint/time.hpp"

namespace accuracy {

inline constexpr std::uint64_t kLimit = 100;
inline constexpr std::int64_t kPeriodUs = 60'000'000;
inline constexpr std::int64_t kStartUs = 1'773'000'000'000'000;  // a multiple of the period
inline constexpr std::int64_t kPeriods = 20;                     // how long each kind lasts

/// Asks for one unit at `t_us` after the start. Returns: 0 if it was allowed, else how long to wait.
using Send = std::function<std::int64_t(std::int64_t t_us)>;

struct Traffic {
    std::string name;
    std::function<void(const Send& send, std::mt19937_64& random)> play;  ///< asks in the order of time
};

[[nodiscard]] std::vector<Traffic> all_kinds();

}  // namespace accuracy
