#include "rules/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <string_view>

#include "base/duration_text.hpp"
#include "rules/key_template.hpp"
#include "rules/limit_relations.hpp"
#include "rules/pattern.hpp"

namespace stint::inline v0::rules {
namespace {

/// Looks at one rule after the other.
class Validator {
public:
    explicit Validator(std::vector<Finding>& findings) : findings_{findings} {}

    void look_at(const Rule& rule, std::size_t number) {
        rule_ = number;
        look_at_name(rule.name);
        look_at_conditions(rule.match, "match", {.rule = rule_, .part = Part::match});
        look_at_conditions(rule.unless, "unless", {.rule = rule_, .part = Part::unless});
        look_at_key(rule.key);
        look_at_limits(rule.limits);
        for (std::size_t i = 0; i < rule.overrides.size(); ++i) look_at_override(rule, i);
        if (rule.ban) look_at_ban(*rule.ban);
        if (!rule.redis_key.empty()) look_at_redis_key(rule);
        if (rule.cost < 1 || rule.cost > kCostMax) {
            add(at(Part::cost), fmt::format("cost: {} is not possible; a cost is 1 to {}", rule.cost, kCostMax));
        }
    }

    [[nodiscard]] std::size_t attributes() const noexcept { return attributes_.size(); }

private:
    void add(Place place, std::string reason) { findings_.push_back({place, std::move(reason), std::nullopt}); }
    [[nodiscard]] Place at(Part part) const { return {.rule = rule_, .part = part}; }

    void look_at_name(const std::string& name) {
        if (!is_rule_name(name)) {
            add(at(Part::name),
                fmt::format("name: '{}' is not possible; a name is 1 to {} of A-Z a-z 0-9 _ . -", name, kNameBytesMax));
            return;
        }
        const auto [first, is_new] = names_.emplace(name, rule_);
        if (is_new) return;
        findings_.push_back({.place = at(Part::name),
                             .reason = fmt::format("name: '{}' is the name of two rules; the first is", name),
                             .other = Place{.rule = first->second, .part = Part::name}});
    }

    void look_at_attribute(const std::string& name, const char* field, Place place) {
        if (name.empty()) add(place, fmt::format("{}: an attribute needs a name", field));
        if (name.size() > kAttributeBytesMax) {
            add(place, fmt::format("{}: an attribute's name has {} bytes at most", field, kAttributeBytesMax));
        }
        attributes_.insert(name);
    }

    // `place`: where the conditions are; of overrides the indexes lie one deeper.
    void look_at_conditions(const Conditions& conditions, const char* field, Place place) {
        const bool deep = place.part == Part::override_match;
        boost::unordered_flat_set<std::string_view> seen;
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            const Condition& condition = conditions[i];
            (deep ? place.sub : place.index) = i;
            place.item = Place::kWhole;
            look_at_attribute(condition.attribute, field, place);
            if (!seen.insert(condition.attribute).second) {
                add(place, fmt::format("{}: the attribute '{}' is named twice", field, condition.attribute));
            }
            if (condition.patterns.empty()) {
                add(place,
                    fmt::format("{}: an empty list of values for '{}' fits nothing", field, condition.attribute));
            }
            for (std::size_t j = 0; j < condition.patterns.size(); ++j) {
                place.item = j;
                const auto pattern = Pattern::compile(condition.attribute, condition.patterns[j]);
                if (!pattern) add(place, fmt::format("{}: {}", field, pattern.error()));
            }
        }
    }

    void look_at_key(const std::vector<std::string>& key) {
        if (key.size() > kKeyAttributesMax) {
            add(at(Part::key),
                fmt::format("key: {} attributes are too many; {} at most", key.size(), kKeyAttributesMax));
            return;
        }
        for (std::size_t i = 0; i < key.size(); ++i) {
            Place place = at(Part::key);
            place.index = i;
            look_at_attribute(key[i], "key", place);
            if (std::find(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(i), key[i]) !=
                key.begin() + static_cast<std::ptrdiff_t>(i)) {
                add(place, fmt::format("key: the attribute '{}' is named twice", key[i]));
            }
        }
    }

    void look_at_limits(const std::vector<Limit>& limits) {
        if (limits.empty()) add(at(Part::limits), "limits: a rule needs at least one limit");
        if (limits.size() > kLimitsPerRuleMax) {
            add(at(Part::limits), fmt::format("limits: {} are too many; {} at most", limits.size(), kLimitsPerRuleMax));
            return;
        }
        std::vector<std::string> kinds;
        for (std::size_t i = 0; i < limits.size(); ++i) {
            std::string kind = limits[i].kind();
            if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) {
                Place place = at(Part::limits);
                place.index = i;
                add(place,
                    fmt::format("limits: two limits of one kind, {}, would share a counter", describe_kind(limits[i])));
            }
            kinds.push_back(std::move(kind));
        }
    }

    void look_at_override(const Rule& rule, std::size_t number) {
        const Override& other = rule.overrides[number];
        Place place = at(Part::override_match);
        place.index = number;
        if (other.match.empty()) {
            add(place, "overrides: match: an override needs a condition; numbers for all requests are the rule's own");
        }
        look_at_conditions(other.match, "overrides: match", place);
        place = at(Part::override_limits);
        place.index = number;
        if (other.limits.size() != rule.limits.size()) {
            add(place,
                fmt::format("overrides: limits: {} given, but the rule has {}; an override gives numbers for each",
                            other.limits.size(), rule.limits.size()));
            return;
        }
        for (std::size_t i = 0; i < rule.limits.size(); ++i) {
            place.sub = i;
            if (other.limits[i].kind() != rule.limits[i].kind() ||
                other.limits[i].count_denied() != rule.limits[i].count_denied()) {
                add(place, fmt::format("overrides: limits: an override changes numbers only; this one is {}, the "
                                       "rule's is {}",
                                       describe(other.limits[i]), describe(rule.limits[i])));
            }
        }
    }

    static std::string describe(const Limit& limit) {
        return describe_kind(limit) + (limit.count_denied() ? " with count_denied" : "");
    }

    void look_at_redis_key(const Rule& rule) {
        const bool one_window = rule.limits.size() == 1 && rule.limits[0].algorithm() == Algorithm::fixed_window &&
                                rule.limits[0].anchor() == Anchor::first;
        if (!one_window && !rule.limits.empty()) {
            add(at(Part::redis_key), "redis_key: a plain counter is one fixed_window with anchor: first");
        }
        if (rule.ban) add(at(Part::redis_key), "redis_key: a plain counter has no ban");
        if (rule.shadow) {
            add(at(Part::redis_key),
                "redis_key: a shadow would count where other services enforce; leave out one of both");
        }
        const auto compiled = KeyTemplate::compile(rule);
        if (!compiled) return add(at(Part::redis_key), compiled.error());
        const auto [first, is_new] = redis_keys_.emplace(compiled->text(rule), rule_);
        if (is_new) return;
        findings_.push_back({.place = at(Part::redis_key),
                             .reason = "redis_key: two rules name one counter; the first is",
                             .other = Place{.rule = first->second, .part = Part::redis_key}});
    }

    void look_at_ban(const Ban& ban) {
        if (ban.denials < 1 || ban.denials > kBanDenialsMax) {
            add(at(Part::ban), fmt::format("ban: denials: {} is not possible; 1 to {}", ban.denials, kBanDenialsMax));
        }
        look_at_ban_time("within", ban.within);
        look_at_ban_time("for", ban.duration);
    }

    void look_at_ban_time(const char* name, Duration time) {
        if (time > Duration{0} && time <= kPeriodMax) return;
        add(at(Part::ban), fmt::format("ban: {}: {} is not possible; more than 0 and at most {}", name,
                                       write_duration(time), write_duration(kPeriodMax)));
    }

    std::vector<Finding>& findings_;
    std::size_t rule_ = 0;
    boost::unordered_flat_map<std::string_view, std::size_t> names_;
    boost::unordered_flat_map<std::string, std::size_t> redis_keys_;
    boost::unordered_flat_set<std::string_view> attributes_;
};

}  // namespace

std::vector<Finding> validate(std::span<const Rule> rules) {
    std::vector<Finding> findings;
    if (rules.size() > kRulesMax) {
        findings.push_back({.place = {.rule = kRulesMax},
                            .reason = fmt::format("{} rules are too many; {} at most", rules.size(), kRulesMax),
                            .other = {}});
        return findings;
    }
    Validator validator{findings};
    for (std::size_t i = 0; i < rules.size(); ++i) {
        validator.look_at(rules[i], i);
        if (validator.attributes() > kAttributesMax) {
            findings.push_back(
                {.place = {.rule = i},
                 .reason = fmt::format("the rules use too many attribute names; {} at most", kAttributesMax),
                 .other = {}});
            break;
        }
    }
    return findings;
}

std::string validate(const RuleSet::Options& options) {
    if (options.ipv6_prefix >= 1 && options.ipv6_prefix <= 128) return {};
    return fmt::format("ipv6_prefix: {} is not possible; 1 to 128", options.ipv6_prefix);
}

}  // namespace stint::inline v0::rules
