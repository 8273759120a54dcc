// The meaning of match, unless, key and overrides, read word for word from
// docs/rules.md and walked through without any index: what compiled rules are
// compared with. Test code, never shipped.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::rules::testing {

inline bool naive_glob(std::string_view pattern, std::string_view text) {
    // Dynamic programming over (bytes of the pattern, bytes of the text).
    std::vector<bool> fits(text.size() + 1, false);
    fits[0] = true;
    for (const char letter : pattern) {
        std::vector<bool> next(text.size() + 1, false);
        for (std::size_t i = 0; i <= text.size(); ++i) {
            if (letter == '*') {
                next[i] = fits[i] || (i > 0 && next[i - 1]);
            } else {
                next[i] = i > 0 && fits[i - 1] && text[i - 1] == letter;
            }
        }
        fits = std::move(next);
    }
    return fits[text.size()];
}

class NaiveRequest {
public:
    NaiveRequest(const std::vector<Attribute>& attributes, int ipv6_prefix) {
        for (const Attribute& attribute : attributes) {
            std::string value{attribute.value};
            if (attribute.name == "ip") {
                IpText buffer;
                const std::string_view text = normalise_ip(attribute.value, ipv6_prefix, buffer);
                const auto whole = parse_ip_endpoint(attribute.value);
                if (values_.contains("ip")) continue;
                address_ = whole;
                value = text;
            }
            values_.emplace(attribute.name, value);
        }
    }

    bool fits(const std::string& attribute, const std::string& pattern) const {
        const auto at = values_.find(attribute);
        if (at == values_.end()) return false;
        if (pattern.find('*') != pattern.npos) return naive_glob(pattern, at->second);
        if (attribute == "ip") {
            if (const auto network = parse_cidr(pattern)) return address_ && network->contains(*address_);
        }
        return at->second == pattern;
    }

    bool fits(const Conditions& conditions) const {
        for (const Condition& condition : conditions) {
            bool any = false;
            for (const std::string& pattern : condition.patterns) any = any || fits(condition.attribute, pattern);
            if (!any) return false;
        }
        return true;
    }

    bool applies(const Rule& rule) const {
        for (const std::string& name : rule.key) {
            if (!values_.contains(name)) return false;
        }
        return fits(rule.match) && (rule.unless.empty() || !fits(rule.unless));
    }

    /// Returns: the limits in force: those of the first override that fits, or the rule's.
    const std::vector<Limit>& limits(const Rule& rule) const {
        for (const Override& other : rule.overrides) {
            if (fits(other.match)) return other.limits;
        }
        return rule.limits;
    }

    std::vector<std::string> key(const Rule& rule) const {
        std::vector<std::string> values;
        for (const std::string& name : rule.key) values.push_back(values_.at(name));
        return values;
    }

private:
    std::map<std::string, std::string, std::less<>> values_;
    std::optional<IpAddress> address_;
};

}  // namespace stint::inline v0::rules::testing
