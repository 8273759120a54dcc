#include "rules/rule_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>

#include "rules/limit_reader.hpp"

namespace stint::inline v0::rules {
namespace {

constexpr std::array<std::string_view, 15> kRuleKeys{
    "name",       "match",        "unless", "key",      "limits", "overrides", "shadow", "ban", "on_store_failure",
    "deny_cache", "count_denied", "cost",   "timezone", "layout", "redis_key"};
constexpr std::array<std::string_view, 2> kOverrideKeys{"match", "limits"};
constexpr std::array<std::string_view, 4> kBanKeys{"denials", "within", "for", "silent"};
constexpr std::array<std::string_view, 3> kFailurePolicies{"local", "allow", "deny"};
constexpr std::array<std::string_view, 1> kLayouts{"counter"};

std::vector<std::string> read_patterns(const YAML::Node& node, const std::string& attribute, Notes& notes) {
    std::vector<std::string> patterns;
    if (!node.IsSequence()) {
        if (auto text = read_text(node, attribute, notes)) patterns.push_back(std::move(*text));
        return patterns;
    }
    if (!notes.spend(node)) return patterns;
    for (const auto& element : node) {
        if (notes.exhausted()) break;
        if (auto text = read_text(element, attribute, notes)) patterns.push_back(std::move(*text));
    }
    return patterns;
}

Conditions read_conditions(const YAML::Node& node, std::string_view field, Notes& notes) {
    Conditions conditions;
    if (!notes.spend(node)) return conditions;
    if (!node.IsMap()) {
        notes.add(node,
                  fmt::format("{}: expected attributes and their values (a mapping), got {}", field, describe(node)));
        return conditions;
    }
    boost::unordered_flat_map<std::string, int> lines;
    for (const auto& entry : node) {
        if (notes.exhausted()) break;
        const auto name = read_text(entry.first, field, notes);
        if (!name) continue;
        const int line = entry.first.Mark().line + 1;
        const auto [first, is_new] = lines.emplace(*name, line);
        if (!is_new) {
            notes.add(entry.first, fmt::format("{}: '{}' is given twice; first in line {} (alternatives are a list)",
                                               field, *name, first->second));
            continue;
        }
        conditions.push_back({.attribute = *name, .patterns = read_patterns(entry.second, *name, notes)});
    }
    return conditions;
}

std::vector<std::string> read_key(const Fields& fields, Notes& notes) {
    std::vector<std::string> key;
    if (fields.find("key") != nullptr && fields.find("key")->IsScalar()) {
        notes.add(*fields.find("key"),
                  fmt::format("key: expected a list of attributes, such as [{}]", fields.find("key")->Scalar()));
        return key;
    }
    for (const YAML::Node& element : fields.list("key")) {
        if (auto name = read_text(element, "key", notes)) key.push_back(std::move(*name));
    }
    return key;
}

std::optional<Ban> read_ban(const Fields& rule, Notes& notes) {
    const YAML::Node* node = rule.find("ban");
    if (node == nullptr) return std::nullopt;
    const Fields fields{*node, "a ban", kBanKeys, notes};
    for (const char* key : {"denials", "within", "for"}) static_cast<void>(fields.require(key));
    Ban ban;
    ban.denials = fields.number("denials", 1, kBanDenialsMax).value_or(0);
    ban.within = fields.duration("within").value_or(Duration{0});
    ban.duration = fields.duration("for").value_or(Duration{0});
    ban.silent = fields.boolean("silent").value_or(false);
    return ban;
}

/// The limits of a rule; those that could not be read are empty.
using ReadLimits = std::vector<std::optional<Limit>>;

ReadLimits read_limits(const Fields& rule, const LimitDefaults& defaults, Notes& notes) {
    ReadLimits limits;
    const YAML::Node* node = rule.require("limits");
    if (node == nullptr) return limits;
    const std::vector<YAML::Node> elements = rule.list("limits");
    if (node->IsSequence() && elements.empty()) notes.add(*node, "limits: a rule needs at least one limit");
    for (const YAML::Node& element : elements) limits.push_back(read_limit(element, defaults, notes));
    return limits;
}

Override read_override(const YAML::Node& node, const ReadLimits& base, Notes& notes) {
    Override result;
    const Fields fields{node, "an override", kOverrideKeys, notes};
    if (const YAML::Node* match = fields.require("match")) {
        result.match = read_conditions(*match, "match", notes);
        if (match->IsMap() && match->size() == 0) {
            notes.add(*match, "match: an override needs a condition; numbers for all requests are the rule's own");
        }
    }
    const YAML::Node* limits = fields.require("limits");
    if (limits == nullptr) return result;
    const std::vector<YAML::Node> elements = fields.list("limits");
    if (limits->IsSequence() && !base.empty() && elements.size() != base.size()) {
        notes.add(*limits, fmt::format("limits: {} given, but the rule has {}; an override gives numbers for each",
                                       elements.size(), base.size()));
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (i >= base.size() || !base[i]) {
            check_override_limit(elements[i], notes);
        } else if (auto limit = read_override_limit(elements[i], *base[i], notes)) {
            result.limits.push_back(*limit);
        }
    }
    return result;
}

LimitDefaults read_defaults(const Fields& fields) {
    return {.timezone = fields.text("timezone"), .count_denied = fields.boolean("count_denied").value_or(false)};
}

// What the rule says for its limits must reach one of them.
void check_defaults(const Fields& fields, const LimitDefaults& defaults, const std::vector<Limit>& limits,
                    Notes& notes) {
    bool has_calendar = false;
    bool has_counting = false;
    for (const Limit& limit : limits) {
        has_calendar = has_calendar || limit.calendar() != nullptr;
        has_counting = has_counting || limit.algorithm() != Algorithm::concurrency;
    }
    if (defaults.timezone && !has_calendar) {
        notes.add(*fields.find("timezone"),
                  "timezone: only limits with anchor: calendar have one, and this rule has none");
    }
    if (defaults.count_denied && !has_counting) {
        notes.add(*fields.find("count_denied"),
                  "count_denied: a denial holds no lease, so concurrency cannot count it");
    }
}

YAML::Mark mark_of(const YAML::Node& node, const YAML::Mark& otherwise) {
    return node.IsDefined() && !node.Mark().is_null() ? node.Mark() : otherwise;
}

/// Reads the limits of a rule and of its overrides.
void read_all_limits(const Fields& fields, Rule& rule, Notes& notes) {
    const LimitDefaults defaults = read_defaults(fields);
    const ReadLimits limits = read_limits(fields, defaults, notes);
    for (const auto& limit : limits) {
        if (limit) rule.limits.push_back(*limit);
    }
    if (!limits.empty() && rule.limits.size() == limits.size()) check_defaults(fields, defaults, rule.limits, notes);
    for (const YAML::Node& element : fields.list("overrides")) {
        rule.overrides.push_back(read_override(element, limits, notes));
    }
}

std::string read_redis_key(const Fields& fields, Notes& notes) {
    const YAML::Node* layout = fields.find("layout");
    const YAML::Node* redis_key = fields.find("redis_key");
    const bool counter = fields.choice("layout", kLayouts).has_value();
    if (counter && redis_key == nullptr) notes.add(*layout, "layout: counter needs redis_key: the counter's name");
    if (layout == nullptr && redis_key != nullptr) notes.add(*redis_key, "redis_key: only with layout: counter");
    std::string text = fields.text("redis_key").value_or("");
    if (redis_key != nullptr && text.empty()) notes.add(*redis_key, "redis_key: empty");
    return text;
}

YAML::Node child(const YAML::Node& node, std::size_t index) {
    if (node.IsSequence() && index < node.size()) return node[index];
    return YAML::Node{YAML::NodeType::Undefined};
}

YAML::Node child(const YAML::Node& node, const char* key) {
    if (node.IsMap()) {
        for (const auto& entry : node) {
            if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry.second;
        }
    }
    return YAML::Node{YAML::NodeType::Undefined};
}

YAML::Mark locate_condition(const YAML::Node& conditions, std::size_t index, std::size_t item, YAML::Mark mark) {
    mark = mark_of(conditions, mark);
    if (!conditions.IsMap() || index >= conditions.size()) return mark;
    auto entry = conditions.begin();
    for (std::size_t i = 0; i < index; ++i) ++entry;
    if (item == Place::kWhole) return mark_of(entry->first, mark);
    mark = mark_of(entry->second, mark);
    return mark_of(child(entry->second, item), mark);
}

YAML::Mark locate_item(const YAML::Node& list, std::size_t index, YAML::Mark mark) {
    return mark_of(child(list, index), mark_of(list, mark));
}

}  // namespace

ReadRule read_rule(const YAML::Node& node, Notes& notes) {
    ReadRule result;
    const std::size_t before = notes.count();
    const Fields fields{node, "a rule", kRuleKeys, notes};
    if (notes.exhausted() || !node.IsMap()) return result;
    Rule& rule = result.rule;
    // Reads a part, and remembers it if there was nothing to note.
    const auto reading = [&](std::initializer_list<Part> parts, auto&& read) {
        const std::size_t noted = notes.count();
        read();
        if (notes.count() != noted || notes.exhausted()) return;
        for (const Part part : parts) result.parts.add(part);
    };
    reading({Part::name}, [&] {
        static_cast<void>(fields.require("name"));
        rule.name = fields.text("name").value_or("");
    });
    reading({Part::match}, [&] {
        if (const YAML::Node* match = fields.find("match")) rule.match = read_conditions(*match, "match", notes);
    });
    reading({Part::unless}, [&] {
        const YAML::Node* unless = fields.find("unless");
        if (unless == nullptr) return;
        rule.unless = read_conditions(*unless, "unless", notes);
        if (unless->IsMap() && unless->size() == 0) notes.add(*unless, "unless: names no attribute; leave it out");
    });
    reading({Part::key}, [&] { rule.key = read_key(fields, notes); });
    reading({Part::limits, Part::override_match, Part::override_limits}, [&] { read_all_limits(fields, rule, notes); });
    reading({Part::ban}, [&] { rule.ban = read_ban(fields, notes); });
    reading({Part::cost}, [&] { rule.cost = fields.number("cost", 1, kCostMax).value_or(1); });
    rule.shadow = fields.boolean("shadow").value_or(false);
    rule.on_store_failure =
        static_cast<OnStoreFailure>(fields.choice("on_store_failure", kFailurePolicies).value_or(0));
    rule.deny_cache = fields.boolean("deny_cache").value_or(true);
    reading({Part::redis_key}, [&] { rule.redis_key = read_redis_key(fields, notes); });
    if (notes.count() == before) result.parts.add(Part::rule);
    return result;
}

YAML::Mark locate(const YAML::Node& rule, const Place& place) {
    const YAML::Mark mark = rule.Mark();
    switch (place.part) {
        case Part::name:
            return mark_of(child(rule, "name"), mark);
        case Part::match:
            return locate_condition(child(rule, "match"), place.index, place.item, mark);
        case Part::unless:
            return locate_condition(child(rule, "unless"), place.index, place.item, mark);
        case Part::key:
            return locate_item(child(rule, "key"), place.index, mark);
        case Part::limits:
            return locate_item(child(rule, "limits"), place.index, mark);
        case Part::override_match: {
            const YAML::Node other = child(child(rule, "overrides"), place.index);
            return locate_condition(child(other, "match"), place.sub, place.item, mark_of(other, mark));
        }
        case Part::override_limits: {
            const YAML::Node other = child(child(rule, "overrides"), place.index);
            return locate_item(child(other, "limits"), place.sub, mark_of(other, mark));
        }
        case Part::ban:
            return mark_of(child(rule, "ban"), mark);
        case Part::redis_key:
            return mark_of(child(rule, "redis_key"), mark);
        case Part::cost:
            return mark_of(child(rule, "cost"), mark);
        case Part::rule:
            break;
    }
    return mark;
}

}  // namespace stint::inline v0::rules
