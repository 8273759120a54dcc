#include "integration/replay/expected.hpp"

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace stint::inline v0::replay {
namespace {

namespace json = boost::json;

std::string rule_name(std::string_view words) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kRules{{
        {"fixed_window 60/60s anchor=clock, per client", "clock-60-per-minute"},
        {"fixed_window 60/60s anchor=first, per client", "first-60-per-minute"},
        {"fixed_window 10/1s anchor=clock, per client", "clock-10-per-second"},
        {"sliding_log 60/60s, per client", "log-60-per-minute"},
        {"sliding_window 60/60s buckets=60 strict, per client", "strict-60-per-minute"},
        {"sliding_window 60/60s buckets=1 weighted, per client", "two-counters-60-per-minute"},
        {"token_bucket 1/1s capacity 20, per client", "bucket-1-per-second"},
        {"fixed_window 5/60s anchor=clock, per client, method POST only", "post-5-per-minute"},
        {"fixed_window 200/day calendar UTC, per client", "calendar-200-per-day"},
        {"fixed_window 100/60s anchor=clock, whole site", "site-100-per-minute"},
    }};
    for (const auto& [text, name] : kRules) {
        if (text == words) return std::string{name};
    }
    throw std::runtime_error{"no rule file for: " + std::string{words}};
}

std::string text_of(const json::object& object, std::string_view name) {
    return std::string{object.at(name).as_string()};
}

Expected read_line(const std::string& line) {
    const json::value value = json::parse(line);
    const json::object& object = value.as_object();
    const auto number = [&](std::string_view name) { return object.at(name).to_number<std::uint64_t>(); };
    Expected expected{.log = logs_folder() + "/" + text_of(object, "log"),
                      .order = text_of(object, "order"),
                      .rule = rule_name(object.at("rule").as_string()),
                      .checked = number("checked"),
                      .allowed = number("allowed"),
                      .denied = number("denied"),
                      .denied_clients = number("denied_clients"),
                      .top_client = {},
                      .top_denied = 0};
    if (const json::array& top = object.at("top").as_array(); !top.empty()) {
        expected.top_client = std::string{top.at(0).at(0).as_string()};
        expected.top_denied = top.at(0).at(1).to_number<std::uint64_t>();
    }
    return expected;
}

}  // namespace

std::string logs_folder() {
    return STINT_SOURCE_DIR "/tests/data/logs";
}

std::vector<Expected> read_expected() {
    std::ifstream file{logs_folder() + "/expected.jsonl"};
    if (!file) throw std::runtime_error{"expected.jsonl cannot be read"};
    std::vector<Expected> all;
    std::set<std::string> out_of_order;
    for (std::string line; std::getline(file, line);) {
        all.push_back(read_line(line));
        if (all.back().order == "time") out_of_order.insert(all.back().log);
    }
    const std::size_t listed = all.size();
    for (std::size_t i = 0; i < listed; ++i) {
        if (out_of_order.contains(all[i].log)) continue;
        all.push_back(all[i]);
        all.back().order = "time";
    }
    return all;
}

}  // namespace stint::inline v0::replay
