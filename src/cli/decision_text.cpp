#include "cli/decision_text.hpp"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "base/duration_text.hpp"
#include "replay/limit_text.hpp"

namespace stint::inline v0::cli {

std::string wait_text(Duration wait) {
    using std::chrono::seconds;
    if (wait == kNever) return "never";
    if (wait < seconds{1}) return write_duration(std::chrono::ceil<std::chrono::milliseconds>(wait));
    const std::chrono::hh_mm_ss time{std::chrono::ceil<seconds>(wait)};
    std::vector<std::string> parts;
    const auto add = [&parts](std::int64_t count, const char* unit) {
        if (count > 0) parts.push_back(fmt::format("{}{}", count, unit));
    };
    add(time.hours().count() / 24, "d");
    add(time.hours().count() % 24, "h");
    add(time.minutes().count(), "m");
    add(time.seconds().count(), "s");
    return fmt::format("{}", fmt::join(parts, " "));
}

namespace {

std::string limit_line(const LimitDecision& limit) {
    std::string line =
        fmt::format("  {}: {}; {}, ", limit.rule, replay::limit_text(limit.limit), limit.allowed ? "allows" : "denies");
    line += limit.source == Source::failure_policy ? "not counted" : fmt::format("{} remaining", limit.remaining);
    if (!limit.allowed) line += fmt::format(", retry after: {}", wait_text(limit.retry_after));
    if (limit.reset_after > Duration{0}) line += fmt::format(", as new after {}", wait_text(limit.reset_after));
    if (limit.shadow) line += " (shadow: reported only)";
    return line + '\n';
}

}  // namespace

std::string describe(const Decision& decision) {
    if (decision.limits.empty()) return "allowed: no rule applies\n";
    std::string text = decision.allowed ? "allowed" : "denied";
    if (!decision.allowed) {
        text += fmt::format(" by {}", fmt::join(decision.denied_by(), ", "));
        text += decision.retry_after == kNever ? "; no wait helps"
                                               : fmt::format("; retry after {}", wait_text(decision.retry_after));
    } else if (decision.source == Source::shadow) {
        text += ": only shadow rules apply";
    }
    if (decision.source == Source::local) text += " (the store failed: decided in memory)";
    if (decision.source == Source::failure_policy) text += " (the store failed: the rules say what happens then)";
    text += '\n';
    for (const LimitDecision& limit : decision.limits) text += limit_line(limit);
    return text;
}

}  // namespace stint::inline v0::cli
