#include "server/http/decision_json.hpp"

#include <fmt/format.h>

#include <string_view>

#include "server/http/json_text.hpp"

namespace stint::http {
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

void append_bool(std::string& out, bool value) {
    out += value ? "true" : "false";
}

/// What a decision and each of its limits tell alike.
struct Amounts {
    std::uint64_t limit;
    std::uint64_t remaining;
};
struct Waits {
    Duration retry_after;
    Duration reset_after;
};

void append_amounts(std::string& out, Amounts amounts) {
    out += R"(,"limit":)";
    append_number(out, amounts.limit);
    out += R"(,"remaining":)";
    append_number(out, amounts.remaining);
}

void append_waits(std::string& out, Waits waits) {
    out += R"(,"retry_after_ms":)";
    append_ms(out, waits.retry_after);
    out += R"(,"reset_after_ms":)";
    append_ms(out, waits.reset_after);
}

void append_limit(std::string& out, const LimitDecision& limit) {
    out += R"({"rule":)";
    append_json_string(out, limit.rule);
    out += R"(,"algorithm":")";
    out += to_string(limit.limit.algorithm());
    out += '"';
    append_amounts(out, {.limit = limit.limit.ceiling(), .remaining = limit.remaining});
    out += R"(,"allowed":)";
    append_bool(out, limit.allowed);
    out += R"(,"shadow":)";
    append_bool(out, limit.shadow);
    out += R"(,"banned":)";
    append_bool(out, limit.banned);
    append_waits(out, {.retry_after = limit.retry_after, .reset_after = limit.reset_after});
    out += '}';
}

void append_verdict(std::string& out, const Decision& decision) {
    out += R"({"allowed":)";
    append_bool(out, decision.allowed);
    if (decision.rule.empty()) {
        out += R"(,"rule":null,"limit":null,"remaining":null)";
    } else {
        out += R"(,"rule":)";
        append_json_string(out, decision.rule);
        if (decision.source == Source::failure_policy) {
            out += R"(,"limit":null,"remaining":null)";  // nothing was counted
        } else {
            append_amounts(out, {.limit = decision.limit, .remaining = decision.remaining});
        }
    }
    append_waits(out, {.retry_after = decision.retry_after, .reset_after = decision.reset_after});
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

}  // namespace stint::http
