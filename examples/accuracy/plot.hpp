// The measurements as a picture: a row for each algorithm, a dot for each kind of traffic.
#pragma once

#include <string>
#include <vector>

#include "measure.hpp"

namespace accuracy {

/// Requires: `results[i][k]` is contender i under traffic k. Returns: an SVG document.
[[nodiscard]] std::string plot(const std::vector<Contender>& contenders,
                               const std::vector<std::vector<Measured>>& results);

}  // namespace accuracy
