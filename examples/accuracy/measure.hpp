// What an algorithm lets through of each kind of traffic.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stint/limit.hpp"
#include "traffic.hpp"

namespace accuracy {

struct Contender {
    std::string name;
    std::string promise;  ///< the most in any stretch of one period, in N
    stint::Limit limit;
};

/// The algorithms that are compared; the exact log comes first.
[[nodiscard]] std::vector<Contender> contenders();

struct Measured {
    std::size_t allowed = 0;
    double worst = 0;  ///< the most let through in any stretch of one period, in N
};

/// Plays the traffic to the limit in an empty store. The same every time.
[[nodiscard]] Measured measure(const stint::Limit& limit, const Traffic& traffic);

}  // namespace accuracy
