#include "cli/key_report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "cli/decision_text.hpp"
#include "replay/limit_text.hpp"
#include "server/http/decision_json.hpp"
#include "server/http/json_text.hpp"

namespace stint::inline v0::cli {
namespace {

using store::redis::HeldUnits;
using store::redis::StateBlock;

constexpr std::size_t kHeldShown = 20;

std::string time_text(std::int64_t us) {
    constexpr std::int64_t kSecond = 1'000'000;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(static_cast<std::time_t>(us / kSecond)),
                       us % kSecond);
}

std::string held_line(const HeldUnits& held) {
    std::string line = "  " + counted(held.units, "unit");
    if (held.lease_id != 0) line += fmt::format(", lease {:016x}", held.lease_id);
    if (held.from != 0) line += ", from " + time_text(held.from);
    return line + ", until " + time_text(held.until) + '\n';
}

std::string counter_text(const CounterReport& counter, std::int64_t now) {
    const auto& [used, as_new_at, held] = counter.state;
    std::string text = replay::limit_text(counter.limit) + ": ";
    if (as_new_at <= now) return text + "as if never used\n";
    text += fmt::format("{} used, as new at {}\n", used, time_text(as_new_at));
    for (std::size_t i = 0; i < std::min(held.size(), kHeldShown); ++i) text += held_line(held[i]);
    if (held.size() > kHeldShown) text += fmt::format("  and {} more\n", held.size() - kHeldShown);
    return text;
}

std::string ban_text(const core::BanState& ban, std::int64_t now) {
    if (ban.end <= now) return "ban: none, no denials\n";
    if (ban.banned) return fmt::format("ban: until {}\n", time_text(ban.end));
    return fmt::format("ban: none, {}, counted until {}\n", counted(ban.count, "denial"), time_text(ban.end));
}

std::string held_json(const HeldUnits& held) {
    std::string json = fmt::format(R"({{"units":{})", held.units);
    if (held.lease_id != 0) json += fmt::format(R"(,"lease":"{:016x}")", held.lease_id);
    if (held.from != 0) json += fmt::format(R"(,"from_us":{})", held.from);
    return json + fmt::format(R"(,"until_us":{}}})", held.until);
}

std::string counter_json(const CounterReport& counter) {
    std::vector<std::string> held;
    for (const HeldUnits& units : counter.state.held) held.push_back(held_json(units));
    return fmt::format(R"({{"algorithm":"{}","limit":{},"used":{},"as_new_at_us":{},"held":[{}]}})",
                       to_string(counter.limit.algorithm()), counter.limit.ceiling(), counter.state.used,
                       counter.state.as_new_at, fmt::join(held, ","));
}

template <typename Number>
std::string number_or_null(const std::optional<Number>& number) {
    return number ? fmt::format("{}", *number) : "null";
}

}  // namespace

Result<void> read_value(const Ask& ask, std::string_view value, KeyReport& report) {
    if (!ask.redis_key.empty()) {
        // Without an end it has a whole window from the next check on.
        const Duration left =
            report.expires_ms ? std::chrono::milliseconds{*report.expires_ms + 1} : ask.counters[0].limit.period();
        auto state = store::redis::read_plain_counter(value, report.now + left.count());
        if (!state) return tl::unexpected{state.error()};
        report.counters.push_back({ask.counters[0].limit, std::move(*state)});
        return {};
    }
    const auto blocks = store::redis::read_blocks(value);
    if (!blocks) return tl::unexpected{blocks.error()};
    std::size_t known = 0;
    const auto body_of = [&](std::uint64_t id) {
        const auto block = std::ranges::find(*blocks, id, &StateBlock::id);
        if (block == blocks->end()) return std::string_view{};
        ++known;
        return block->body;
    };
    for (const Counter& counter : ask.counters) {
        auto state = store::redis::read_limit_state(counter.limit, body_of(counter.id), report.now);
        if (!state) return tl::unexpected{state.error()};
        report.counters.push_back({counter.limit, std::move(*state)});
    }
    if (ask.ban != nullptr) {
        const auto ban = store::redis::read_ban_state(body_of(ask.ban->id));
        if (!ban) return tl::unexpected{ban.error()};
        report.ban = *ban;
    }
    report.others = blocks->size() - known;
    return {};
}

std::string report_text(const KeyReport& report, const Decision& peek) {
    std::string text = fmt::format("key: {}\n", report.name);
    if (!report.bytes) {
        text += "value: none\n";
    } else {
        text += fmt::format("value: {}, {}\n", counted(*report.bytes, "byte"),
                            report.expires_ms ? "expires in " + wait_text(std::chrono::milliseconds{*report.expires_ms})
                                              : "never expires");
    }
    for (const CounterReport& counter : report.counters) text += counter_text(counter, report.now);
    if (report.ban) text += ban_text(*report.ban, report.now);
    if (report.others > 0) text += counted(report.others, "counter") + " of limits that the rule does not have\n";
    return text + "peek: " + describe(peek);
}

std::string report_json(const KeyReport& report, const Decision& peek) {
    std::string json = R"({"key":)";
    http::append_json_string(json, report.name);
    std::vector<std::string> counters;
    for (const CounterReport& counter : report.counters) counters.push_back(counter_json(counter));
    json +=
        fmt::format(R"(,"bytes":{},"expires_in_ms":{},"time_us":{},"limits":[{}],"ban":)", number_or_null(report.bytes),
                    number_or_null(report.expires_ms), report.now, fmt::join(counters, ","));
    if (report.ban) {
        json += fmt::format(R"({{"banned":{},"denials":{},"until_us":{}}})", report.ban->banned, report.ban->count,
                            report.ban->end);
    } else {
        json += "null";
    }
    json += fmt::format(R"(,"other_counters":{},"peek":)", report.others);
    http::append_json(json, peek);
    return json + "}";
}

}  // namespace stint::inline v0::cli
