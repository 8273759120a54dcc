#include "stint/rate_limit_exceeded.hpp"

#include <fmt/format.h>

#include <chrono>

namespace stint::inline v0 {
namespace {

std::string describe(const Decision& decision) {
    const std::string what = fmt::format("rate limit '{}' exceeded", decision.rule);
    if (decision.retry_after == kNever) return what + ": this can never pass";
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(decision.retry_after);
    return fmt::format("{}: try again in {}.{:03} s", what, wait.count() / 1000, wait.count() % 1000);
}

}  // namespace

RateLimitExceeded::RateLimitExceeded(Decision decision) {
    std::string text = describe(decision);
    state_ = std::make_shared<const State>(State{std::move(decision), std::move(text)});
}

}  // namespace stint::inline v0
