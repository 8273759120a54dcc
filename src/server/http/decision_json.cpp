#include "server/http/decision_json.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "server/http/json_text.hpp"

namespace stint::inline v0::http {
namespace {

void append_number(std::string& out, std::uint64_t value) {
    const fmt::format_int text{value};
    out.append(text.data(), text.size());
}

void append_ms(std::string& out, Duration duration) {
    if (duration == kNever) {
        out += "null";
        return;
    }
    const std::int64_t us = duration.count();
    append_number(out, us <= 0 ? 0 : static_cast<std::uint64_t>(us / 1000 + (us % 1000 == 0 ? 0 : 1)));
}

template <typename T>
std::optional<T> given(bool known, T value) {
    return known ? std::optional{value} : std::nullopt;
}

void append_bool(std::string& out, bool value) {
    out += value ? "true" : "false";
}

/// What a decision and each of its limits tell alike; none: nobody knows.
struct Amounts {
    std::optional<std::uint64_t> limit;
    std::optional<std::uint64_t> remaining;
};
struct Waits {
    Duration retry_after;
    std::optional<Duration> reset_after;
};

void append_amounts(std::string& out, Amounts amounts) {
    const auto append = [&out](std::optional<std::uint64_t> amount) {
        amount ? append_number(out, *amount) : void(out += "null");
    };
    out += R"(,"limit":)";
    append(amounts.limit);
    out += R"(,"remaining":)";
    append(amounts.remaining);
}

void append_waits(std::string& out, Waits waits) {
    out += R"(,"retry_after_ms":)";
    append_ms(out, waits.retry_after);
    out += R"(,"reset_after_ms":)";
    append_ms(out, waits.reset_after.value_or(kNever));
}

void append_limit(std::string& out, const LimitDecision& limit) {
    const bool known = limit.source != Source::failure_policy;
    out += R"({"rule":)";
    append_json_string(out, limit.rule);
    out += R"(,"algorithm":")";
    out += to_string(limit.limit.algorithm());
    out += '"';
    append_amounts(out, {.limit = limit.limit.ceiling(), .remaining = given(known, limit.remaining)});
    out += R"(,"allowed":)";
    append_bool(out, limit.allowed);
    out += R"(,"shadow":)";
    append_bool(out, limit.shadow);
    out += R"(,"banned":)";
    append_bool(out, limit.banned);
    append_waits(out, {.retry_after = limit.retry_after, .reset_after = given(known, limit.reset_after)});
    out += '}';
}

void append_verdict(std::string& out, const Decision& decision) {
    out += R"({"allowed":)";
    append_bool(out, decision.allowed);
    out += R"(,"rule":)";
    decision.rule.empty() ? void(out += "null") : append_json_string(out, decision.rule);
    const LimitDecision* deciding = decision.deciding();
    const bool uncounted = decision.source == Source::failure_policy ||
                           (deciding != nullptr && deciding->source == Source::failure_policy);
    const bool known = deciding != nullptr && !uncounted;
    append_amounts(out, {.limit = given(known, decision.limit), .remaining = given(known, decision.remaining)});
    append_waits(out, {.retry_after = decision.retry_after, .reset_after = given(!uncounted, decision.reset_after)});
}

}  // namespace

void append_json(std::string& out, const Decision& decision) {
    append_verdict(out, decision);
    out += R"(,"denied_by":[)";
    if (!decision.allowed) {
        std::string_view separator;
        for (const std::string_view rule : decision.denied_by()) {
            out += separator;
            append_json_string(out, rule);
            separator = ",";
        }
    }
    out += R"(],"silent":)";
    append_bool(out, decision.silent);
    out += R"(,"source":")";
    out += to_string(decision.source);
    out += '"';
    if (!decision.lease.empty()) {
        out += R"(,"lease":)";
        append_json_string(out, decision.lease);
    }
    out += R"(,"limits":[)";
    std::string_view separator;
    for (const LimitDecision& limit : decision.limits) {
        out += separator;
        append_limit(out, limit);
        separator = ",";
    }
    out += "]}";
}

}  // namespace stint::inline v0::http
