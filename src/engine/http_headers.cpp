#include "stint/http_headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/uint128.hpp"
#include "engine/http_fields.hpp"

namespace stint::inline v0 {
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

/// Text put together on the stack: a field's value is short, but for the name
/// of its rule, which has at most 64 characters.
class Value {
public:
    Value& text(std::string_view part) {
        const std::size_t count = std::min(part.size(), text_.size() - size_);
        std::copy_n(part.begin(), count, text_.begin() + static_cast<std::ptrdiff_t>(size_));
        size_ += count;
        return *this;
    }
    Value& number(std::uint64_t part) {
        const fmt::format_int digits{part};
        return text({digits.data(), digits.size()});
    }
    Value& quoted(std::string_view part) { return text("\"").text(part).text("\""); }

    [[nodiscard]] std::string_view view() const { return {text_.data(), size_}; }

private:
    std::array<char, 256> text_;
    std::size_t size_ = 0;
};

template <typename Sink>
void give_fields(const Decision& decision, HttpHeaderOptions options, Sink&& sink) {
    const LimitDecision* deciding = decision.deciding();
    if (deciding == nullptr || decision.source == Source::none || decision.source == Source::shadow) return;

    const bool counted = decision.source != Source::failure_policy;  // else the numbers are nobody's
    const std::uint64_t quota = field_integer(deciding->limit.ceiling());
    const std::uint64_t remaining = field_integer(decision.remaining);
    const std::uint64_t reset = field_integer(seconds_up(decision.reset_after));
    if (options.rate_limit && counted) {
        const std::uint64_t window = window_seconds(deciding->limit);
        Value policy;
        policy.quoted(decision.rule).text(";q=").number(quota);
        if (window > 0) policy.text(";w=").number(window);
        sink("RateLimit-Policy", policy.view());
        sink("RateLimit", Value{}.quoted(decision.rule).text(";r=").number(remaining).text(";t=").number(reset).view());
    }
    if (options.x_rate_limit && counted) {
        sink("X-RateLimit-Limit", Value{}.number(quota).view());
        sink("X-RateLimit-Remaining", Value{}.number(remaining).view());
        sink("X-RateLimit-Reset", Value{}.number(reset).view());
    }
    if (!decision.allowed && decision.retry_after != kNever) {
        // A refusal that says 0 would invite an immediate retry.
        sink("Retry-After", Value{}.number(std::max<std::uint64_t>(seconds_up(decision.retry_after), 1)).view());
    }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> http_headers(const Decision& decision, HttpHeaderOptions options) {
    std::vector<std::pair<std::string, std::string>> fields;
    give_fields(decision, options,
                [&](std::string_view name, std::string_view value) { fields.emplace_back(name, value); });
    return fields;
}

namespace engine {

void append_http_fields(std::string& out, const Decision& decision, HttpHeaderOptions options) {
    give_fields(decision, options, [&](std::string_view name, std::string_view value) {
        out.append(name).append(": ").append(value).append("\r\n");
    });
}

}  // namespace engine

}  // namespace stint::inline v0
