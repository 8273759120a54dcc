#include "rules/key_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "rules/pattern.hpp"

namespace stint::inline v0::rules {
namespace {

/// Returns: the one value that the attribute has in every request of the rule; none if it may have several.
std::optional<std::string> only_value(const Rule& rule, std::string_view attribute) {
    const auto condition = std::ranges::find(rule.match, attribute, &Condition::attribute);
    if (attribute == kIpAttribute || condition == rule.match.end() || condition->patterns.size() != 1) {
        return std::nullopt;
    }
    const auto pattern = Pattern::compile(attribute, condition->patterns[0]);
    if (!pattern || pattern->exact() == nullptr) return std::nullopt;
    return *pattern->exact();
}

}  // namespace

Result<KeyTemplate> KeyTemplate::compile(const Rule& rule) {
    if (rule.redis_key.size() > kRedisKeyBytesMax) {
        return failure(fmt::format("redis_key: {} bytes at most", kRedisKeyBytesMax));
    }
    KeyTemplate made;
    std::vector<bool> used(rule.key.size());
    std::string text;
    std::string_view rest = rule.redis_key;
    while (!rest.empty()) {
        const char c = rest.front();
        if ((c == '{' || c == '}') && rest.size() > 1 && rest[1] == c) {
            text.push_back(c);
            rest.remove_prefix(2);
        } else if (c == '}') {
            return failure("redis_key: '}' without '{'; a brace itself is written twice");
        } else if (c == '{') {
            const std::size_t end = rest.find('}');
            if (end == rest.npos) return failure("redis_key: '{' without '}'; a brace itself is written twice");
            const std::string_view name = rest.substr(1, end - 1);
            rest.remove_prefix(end + 1);
            const auto at = std::ranges::find(rule.key, name);
            if (at != rule.key.end()) {
                const auto index = static_cast<std::size_t>(at - rule.key.begin());
                used[index] = true;
                made.parts_.push_back({std::exchange(text, {}), index});
            } else if (const auto value = only_value(rule, name)) {
                text += *value;
            } else {
                return failure(fmt::format(
                    "redis_key: '{{{}}}' is neither in the rule's key nor has it a single value in its match", name));
            }
        } else {
            text.push_back(c);
            rest.remove_prefix(1);
        }
    }
    if (!text.empty()) made.parts_.push_back({text, kNone});
    if (made.parts_.empty()) return failure("redis_key: empty");
    if (made.parts_[0].text.empty()) {
        return failure("redis_key: must begin with text that nothing else in Redis begins with, as rate:{team}");
    }
    const auto missing = std::ranges::find(used, false);
    if (missing != used.end()) {
        return failure(
            fmt::format("redis_key: '{{{}}}' of the rule's key is missing, so that all its values would "
                        "share a counter",
                        rule.key[static_cast<std::size_t>(missing - used.begin())]));
    }
    return made;
}

std::string KeyTemplate::render(std::span<const std::string_view> values) const {
    std::string name;
    for (const auto& [text, value] : parts_) {
        name += text;
        if (value != kNone) name += values[value];
    }
    return name;
}

std::string KeyTemplate::text(const Rule& rule) const {
    std::vector<std::string> names;
    for (const std::string& attribute : rule.key) names.push_back("{" + attribute + "}");
    return render(std::vector<std::string_view>{names.begin(), names.end()});
}

}  // namespace stint::inline v0::rules
