#include "cli/serve_example.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "server/http/json_text.hpp"

namespace stint::inline v0::cli {
namespace {

/// Returns: a value that fits the pattern: itself, with each `*` filled in,
/// or the address of a CIDR.
std::string value_for(const std::string& attribute, const std::string& pattern) {
    if (attribute == "ip") return pattern.substr(0, pattern.find('/'));
    std::string value;
    for (const char character : pattern) {
        if (character == '*') {
            value += 'x';
        } else {
            value += character;
        }
    }
    return value;
}

std::map<std::string, std::string> attributes_for(const Rule& rule) {
    std::map<std::string, std::string> attributes;
    for (const Condition& condition : rule.match) {
        if (!condition.patterns.empty()) {
            attributes.emplace(condition.attribute, value_for(condition.attribute, condition.patterns.front()));
        }
    }
    for (const std::string& name : rule.key) attributes.emplace(name, name == "ip" ? "192.0.2.1" : "42");
    return attributes;
}

bool applies(Limiter& limiter, const Rule& rule, const std::map<std::string, std::string>& values) {
    std::vector<Attribute> attributes;
    for (const auto& [name, value] : values) attributes.push_back({name, value});
    const Decision decision = limiter.peek(attributes);
    return decision.source != Source::none &&
           std::any_of(decision.limits.begin(), decision.limits.end(),
                       [&](const LimitDecision& limit) { return limit.rule == rule.name; });
}

std::string single_quoted(std::string_view text) {
    std::string quoted = "'";
    for (const char character : text) {
        if (character == '\'') {
            quoted += R"('\'')";
        } else {
            quoted += character;
        }
    }
    return quoted + '\'';
}

}  // namespace

std::string example_curl(Limiter& limiter, const std::string& address) {
    const RuleSet set = limiter.rules();
    std::string body = R"({"attributes":{)";
    for (const Rule& rule : set.rules()) {
        const std::map<std::string, std::string> values = attributes_for(rule);
        if (rule.shadow || !applies(limiter, rule, values)) continue;
        std::string_view separator;
        for (const auto& [name, value] : values) {
            body += separator;
            http::append_json_string(body, name);
            body += ':';
            http::append_json_string(body, value);
            separator = ",";
        }
        break;
    }
    body += "}}";
    return "curl -i http://" + address + "/v1/check -d " + single_quoted(body);
}

}  // namespace stint::inline v0::cli
