#include "replay/limit_text.hpp"

#include <fmt/format.h>

#include "base/duration_text.hpp"

namespace stint::inline v0::replay {

std::string limit_text(const Limit& limit) {
    std::string text = fmt::format("{} {}", to_string(limit.algorithm()), limit.limit());
    if (limit.algorithm() == Algorithm::concurrency) {
        text += fmt::format(" at a time, lease {}", write_duration(limit.period()));
    } else if (limit.algorithm() == Algorithm::fixed_window && limit.anchor() == Anchor::calendar) {
        text += fmt::format(" per calendar {}", to_string(limit.unit()));
    } else {
        text += fmt::format(" per {}", write_duration(limit.period()));
    }
    if (limit.algorithm() == Algorithm::fixed_window && limit.anchor() == Anchor::clock) text += ", anchor clock";
    if (limit.algorithm() == Algorithm::token_bucket && limit.ceiling() != limit.limit()) {
        text += fmt::format(", capacity {}", limit.ceiling());
    }
    if (limit.algorithm() == Algorithm::sliding_window) {
        if (limit.mode() == WindowMode::weighted) text += ", weighted";
        if (limit.buckets() != 60) text += fmt::format(", {} part{}", limit.buckets(), limit.buckets() == 1 ? "" : "s");
    }
    if (limit.count_denied()) text += ", denials count";
    return text;
}

}  // namespace stint::inline v0::replay
