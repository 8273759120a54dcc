#include "cli/check_command.hpp"

#include <fmt/format.h>

#include <ostream>
#include <string_view>

#include "base/duration_text.hpp"
#include "base/result.hpp"
#include "replay/limit_text.hpp"
#include "server/http/decision_json.hpp"
#include "stint/limiter.hpp"
#include "stint/memory_store.hpp"

namespace stint::cli {
namespace {

/// One decision needs no more than the least that a store can have.
constexpr std::size_t kStoreBytes = std::size_t{1} << 20;

Result<std::vector<Attribute>> parse_attributes(const std::vector<std::string>& texts) {
    std::vector<Attribute> attributes;
    for (const std::string_view text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos || equals == 0) {
            return failure(fmt::format("\"{}\": an attribute is given as NAME=VALUE", text));
        }
        const std::string_view name = text.substr(0, equals);
        for (const Attribute& known : attributes) {
            if (known.name == name) return failure(fmt::format("the attribute \"{}\" is given twice", name));
        }
        attributes.push_back({name, text.substr(equals + 1)});
    }
    return attributes;
}

/// For people: whole seconds rounded up, such as `1h 17m 45s`; below a second as it is.
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

std::string limit_line(const LimitDecision& limit) {
    std::string line = fmt::format("  {}: {}; {}, {} remaining", limit.rule, replay::limit_text(limit.limit),
                                   limit.allowed ? "allows" : "denies", limit.remaining);
    if (!limit.allowed) line += fmt::format(", retry after: {}", wait_text(limit.retry_after));
    if (limit.reset_after > Duration{0}) line += fmt::format(", as new after {}", wait_text(limit.reset_after));
    if (limit.shadow) line += " (shadow: reported only)";
    return line + '\n';
}

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
    text += '\n';
    for (const LimitDecision& limit : decision.limits) text += limit_line(limit);
    return text;
}

}  // namespace

int check(const CheckCommand& command, std::ostream& out, std::ostream& err) {
    const Result<std::vector<Attribute>> attributes = parse_attributes(command.attributes);
    if (!attributes) {
        err << "stint check: " << attributes.error() << '\n';
        return 2;
    }
    try {
        MemoryStore store{{.max_memory = kStoreBytes, .clock = {}}};
        Limiter limiter{store, load_rules(command.rules)};
        const Decision decision = limiter.check(*attributes, {.cost = command.cost, .now = std::nullopt});
        if (command.json) {
            std::string json;
            http::append_json(json, decision);
            out << json << '\n';
        } else {
            out << describe(decision);
        }
        return decision.allowed ? 0 : 1;
    } catch (const ConfigError& error) {
        err << error.what() << '\n';
        return 2;
    }
}

}  // namespace stint::cli
