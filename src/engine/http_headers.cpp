#include "stint/http_headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/uint128.hpp"

namespace stint {
namespace {

/// The largest Integer of a structured field (RFC 9651, 3.3.1).
constexpr std::uint64_t kFieldIntegerMax = 999'999'999'999'999;

std::uint64_t field_integer(std::uint64_t value) {
    return std::min(value, kFieldIntegerMax);
}

std::uint64_t seconds_up(Duration duration) {
    const std::int64_t us = std::max<std::int64_t>(duration.count(), 0);
    return static_cast<std::uint64_t>(us / 1'000'000 + (us % 1'000'000 == 0 ? 0 : 1));
}

/// Returns: the length of the window that the quota belongs to; 0 if it has
/// none, or one that varies. A bucket's window is the time in which the whole
/// capacity flows back: capacity * num / den, rounded up.
std::uint64_t window_seconds(const Limit& limit) {
    switch (limit.algorithm()) {
        case Algorithm::token_bucket: {
            const Uint128 us = Uint128{limit.ceiling()} * limit.token_us_num();
            const Uint128 per_second = Uint128{limit.token_us_den()} * 1'000'000;
            const Uint128 seconds = us / per_second + (us % per_second == 0 ? 0 : 1);
            return seconds > kFieldIntegerMax ? kFieldIntegerMax : static_cast<std::uint64_t>(seconds);
        }
        case Algorithm::concurrency:
            return 0;
        case Algorithm::fixed_window:
            return limit.anchor() == Anchor::calendar ? 0 : seconds_up(limit.period());
        case Algorithm::sliding_window:
        case Algorithm::sliding_log:
            return seconds_up(limit.period());
    }
    return 0;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> http_headers(const Decision& decision, HttpHeaderOptions options) {
    std::vector<std::pair<std::string, std::string>> fields;
    const LimitDecision* deciding = decision.deciding();
    if (deciding == nullptr || decision.source == Source::none || decision.source == Source::shadow) return fields;

    const std::uint64_t quota = field_integer(deciding->limit.ceiling());
    const std::uint64_t remaining = field_integer(decision.remaining);
    const std::uint64_t reset = field_integer(seconds_up(decision.reset_after));
    if (options.rate_limit) {
        const std::uint64_t window = window_seconds(deciding->limit);
        std::string policy = fmt::format("\"{}\";q={}", decision.rule, quota);
        if (window > 0) policy += fmt::format(";w={}", window);
        fields.emplace_back("RateLimit-Policy", std::move(policy));
        fields.emplace_back("RateLimit", fmt::format("\"{}\";r={};t={}", decision.rule, remaining, reset));
    }
    if (options.x_rate_limit) {
        fields.emplace_back("X-RateLimit-Limit", fmt::format("{}", quota));
        fields.emplace_back("X-RateLimit-Remaining", fmt::format("{}", remaining));
        fields.emplace_back("X-RateLimit-Reset", fmt::format("{}", reset));
    }
    if (!decision.allowed && decision.retry_after != kNever) {
        // A refusal that says 0 would invite an immediate retry.
        fields.emplace_back("Retry-After",
                            fmt::format("{}", std::max<std::uint64_t>(seconds_up(decision.retry_after), 1)));
    }
    return fields;
}

}  // namespace stint
