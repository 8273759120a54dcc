#include "replay/report_json.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/base64.hpp"
#include "replay/escape.hpp"

namespace stint::inline v0::replay {
namespace {

namespace json = boost::json;

json::value bytes_value(const std::string& bytes) {
    if (is_utf8(bytes)) return json::string{bytes};
    return json::object{{"base64", base64_encode(bytes)}};
}

json::array top_keys(const RuleReport& rule) {
    json::array entries;
    for (const KeyCount& top : rule.top) {
        json::object key;
        for (const auto& [attribute, value] : top.key) key.emplace(attribute, bytes_value(value));
        entries.push_back(json::object{{"key", std::move(key)}, {"denied", top.denied}});
    }
    return entries;
}

json::array top_clients(const RuleReport& rule) {
    json::array entries;
    for (const ClientCount& top : rule.top_clients) {
        entries.push_back(json::object{{"ip", bytes_value(top.ip)}, {"denied", top.denied}});
    }
    return entries;
}

}  // namespace

std::string report_json(const Report& report) {
    json::array rules;
    for (const RuleReport& rule : report.rules) {
        rules.push_back(json::object{{"rule", rule.rule},
                                     {"checked", rule.checked},
                                     {"allowed", rule.allowed},
                                     {"denied", rule.denied},
                                     {"denied_keys", rule.denied_keys},
                                     {"top", top_keys(rule)},
                                     {"denied_clients", rule.denied_clients},
                                     {"top_clients", top_clients(rule)}});
    }
    return json::serialize(json::object{{"lines", report.lines},
                                        {"unparsable", report.unparsable},
                                        {"checked", report.checked},
                                        {"allowed", report.allowed},
                                        {"denied", report.denied},
                                        {"rules", std::move(rules)}});
}

}  // namespace stint::inline v0::replay
