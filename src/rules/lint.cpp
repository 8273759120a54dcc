#include "rules/lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/glob.hpp"
#include "base/ip.hpp"
#include "rules/limit_relations.hpp"
#include "rules/pattern.hpp"
#include "rules/pattern_relations.hpp"

namespace stint::inline v0::rules {
namespace {

constexpr std::size_t kComparedPatternsMax = 300;

/// What holds for every request that the rule counts.
Conditions known_of(const Rule& rule) {
    Conditions known = rule.match;
    for (const std::string& attribute : rule.key) {
        const bool named = std::any_of(known.begin(), known.end(),
                                       [&](const Condition& condition) { return condition.attribute == attribute; });
        if (!named) known.push_back({.attribute = attribute, .patterns = {"*"}});
    }
    return known;
}

Conditions joined(Conditions left, const Conditions& right) {
    for (const Condition& condition : right) {
        const auto same = std::find_if(left.begin(), left.end(),
                                       [&](const Condition& one) { return one.attribute == condition.attribute; });
        // Of two conditions on one attribute the one that says more: enough to be sure.
        if (same == left.end()) {
            left.push_back(condition);
        } else if (!implies(Conditions{*same}, condition)) {
            *same = condition;
        }
    }
    return left;
}

/// Looks at one rule.
class Linter {
public:
    Linter(const Rule& rule, std::size_t number, std::vector<Finding>& findings)
        : rule_{rule}, number_{number}, findings_{findings} {}

    void look() {
        const Conditions known = known_of(rule_);
        if (!rule_.unless.empty() && implies(known, rule_.unless)) {
            add(Part::unless, "unless: takes out every request that the rule would apply to; the rule never applies");
        }
        look_at_conditions(rule_.match, "match", {.rule = number_, .part = Part::match});
        look_at_conditions(rule_.unless, "unless", {.rule = number_, .part = Part::unless});
        if (!rule_.unless.empty() && disjoint(known, rule_.unless)) {
            add(Part::unless, "unless: fits no request that `match` fits; it takes nothing out");
        }
        for (std::size_t i = 0; i < rule_.limits.size(); ++i) look_at_limit(i);
        for (std::size_t i = 0; i < rule_.overrides.size(); ++i) look_at_override(i, known);
        look_at_shadowed_overrides();
    }

private:
    void add(Place place, std::string reason) { findings_.push_back({place, std::move(reason), std::nullopt}); }
    void add(Part part, std::string reason) { add(Place{.rule = number_, .part = part}, std::move(reason)); }

    void look_at_conditions(const Conditions& conditions, const char* field, Place place) {
        const bool deep = place.part == Part::override_match;
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            (deep ? place.sub : place.index) = i;
            for (std::size_t j = 0; j < conditions[i].patterns.size(); ++j) {
                place.item = j;
                look_at_pattern(conditions[i], j, field, place);
            }
        }
    }

    void look_at_pattern(const Condition& condition, std::size_t number, const char* field, Place place) {
        const std::string& text = condition.patterns[number];
        if (condition.attribute == kIpAttribute) look_at_address(text, field, place);
        if (condition.patterns.size() > kComparedPatternsMax) return;
        for (std::size_t i = 0; i < condition.patterns.size(); ++i) {
            const std::string& other = condition.patterns[i];
            if (i == number || !covers(condition.attribute, other, text)) continue;
            if (i > number && covers(condition.attribute, text, other)) continue;  // equal: said of the later one
            add(place, fmt::format("{}: '{}' adds nothing to '{}'", field, text, other));
            return;
        }
    }

    void look_at_address(const std::string& text, const char* field, Place place) {
        if (has_wildcard(text)) {
            const bool upper = std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'F'; });
            if (upper && text.find(':') != text.npos) {
                add(place, fmt::format("{}: '{}' never fits; addresses are compared in lower case", field, text));
            }
            return;
        }
        const std::size_t slash = text.find('/');
        if (slash == text.npos) return;
        const auto network = parse_cidr(text);
        const auto address = parse_ip(std::string_view{text}.substr(0, slash));
        if (!network || !address || *address == network->address) return;
        IpText buffer;
        add(place, fmt::format("{}: '{}' has bits after the prefix; it is taken as {}/{}", field, text,
                               write_ip(network->address, buffer), network->prefix));
    }

    void look_at_limit(std::size_t number) {
        const Limit& limit = rule_.limits[number];
        const Place place{.rule = number_, .part = Part::limits, .index = number};
        if (limit.ceiling() == 0 || limit.limit() == 0) {
            add(place, "limits: a limit of 0 denies every request");
            return;
        }
        if (rule_.cost > limit.ceiling()) {
            add(place, fmt::format("limits: {} denies every request; each costs {}", describe(limit), rule_.cost));
            return;
        }
        look_for_useless(rule_.limits, number, place, "limits");
    }

    // Says it once of two limits that make each other useless: of the later one.
    void look_for_useless(const std::vector<Limit>& limits, std::size_t number, Place place, const char* field) {
        const Limit& limit = limits[number];
        for (std::size_t i = 0; i < limits.size(); ++i) {
            const Limit& other = limits[i];
            if (i == number || other.limit() == 0) continue;
            const Usefulness use = usefulness(limit, other);
            if (use == Usefulness::useful) continue;
            if (i > number && usefulness(other, limit) == Usefulness::useless) continue;
            add(place, fmt::format("{}: {} {}; {} denies first", field, describe(limit),
                                   use == Usefulness::useless ? "never denies" : "denies only at the edge of windows",
                                   describe(other)));
            return;
        }
    }

    void look_at_override(std::size_t number, const Conditions& known) {
        const Override& other = rule_.overrides[number];
        Place place{.rule = number_, .part = Part::override_match, .index = number};
        look_at_conditions(other.match, "overrides: match", place);
        place.sub = place.item = Place::kWhole;
        if (disjoint(other.match, known)) {
            add(place, "overrides: never applies; no request fits both its `match` and the rule's");
        } else if (!rule_.unless.empty() && implies(joined(other.match, known), rule_.unless)) {
            add(place, "overrides: never applies; `unless` takes out every request that it fits");
        }
        for (std::size_t i = 0; i < other.limits.size(); ++i) {
            look_for_useless(other.limits, i,
                             {.rule = number_, .part = Part::override_limits, .index = number, .sub = i},
                             "overrides: limits");
        }
        const bool last = number + 1 == rule_.overrides.size();
        if (last && other.limits == rule_.limits) {
            add({.rule = number_, .part = Part::override_limits, .index = number},
                "overrides: changes nothing; its numbers are the rule's own");
        }
    }

    void look_at_shadowed_overrides() {
        const std::vector<Override>& overrides = rule_.overrides;
        if (overrides.size() > kLintOverridesMax) {
            add(Part::rule,
                fmt::format("overrides: more than {}; they are not compared with each other", kLintOverridesMax));
            return;
        }
        for (std::size_t later = 1; later < overrides.size(); ++later) {
            for (std::size_t earlier = 0; earlier < later; ++earlier) {
                if (!implies(overrides[later].match, overrides[earlier].match)) continue;
                add({.rule = number_, .part = Part::override_match, .index = later},
                    fmt::format(
                        "overrides: never applies; override {} of this rule fits all of its requests and comes first",
                        earlier + 1));
                break;
            }
        }
    }

    const Rule& rule_;
    std::size_t number_;
    std::vector<Finding>& findings_;
};

}  // namespace

std::vector<Finding> lint(const RuleSet& rules) {
    std::vector<Finding> findings;
    if (rules.rules().empty()) {
        findings.push_back({{}, "there are no rules; every request is allowed", std::nullopt});
    }
    for (std::size_t i = 0; i < rules.rules().size(); ++i) Linter{rules.rules()[i], i, findings}.look();
    return findings;
}

}  // namespace stint::inline v0::rules
