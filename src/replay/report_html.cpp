#include "replay/report_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string_view>
#include <vector>

#include "base/counted.hpp"
#include "embedded/dygraph_css.hpp"
#include "embedded/dygraph_js.hpp"
#include "embedded/replay_page_css.hpp"
#include "embedded/replay_page_js.hpp"
#include "replay/escape.hpp"
#include "replay/report_text.hpp"

namespace stint::inline v0::replay {
namespace {

// More charts than this make a page that nobody reads and few browsers draw.
constexpr std::size_t kChartsMax = 40;

std::string text(std::string_view bytes) {
    return html_escape(printable(bytes));
}

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// A browser's tools would look for a map of the library's sources.
std::string_view without_source_map(std::string_view asset) {
    const std::size_t place = asset.rfind("# sourceMappingURL=");
    return place == std::string_view::npos || place < 2 ? asset : asset.substr(0, place - 2);
}

// Lets this page's own scripts run and no other.
std::string make_nonce() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string all;
    for (const std::string& part : parts) {
        if (!all.empty()) all += between;
        all += part;
    }
    return all;
}

// Only numbers, so nothing in it needs escaping.
void append_series(const TimeSeries& series, std::string& out) {
    out += fmt::format(R"({{"start":{},"allowed":[)", series.start_seconds());
    const auto& steps = series.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) out += fmt::format("{}{}", i == 0 ? "" : ",", steps[i].allowed);
    out += R"(],"denied":[)";
    for (std::size_t i = 0; i < steps.size(); ++i) out += fmt::format("{}{}", i == 0 ? "" : ",", steps[i].denied);
    out += "]}";
}

void append_tile(std::string_view name, std::uint64_t number, std::string_view more, std::string_view style,
                 std::string& out) {
    out += fmt::format("<div class=\"tile {}\"><b>{}</b><span>{}{}</span></div>\n", style, grouped(number), name, more);
}

void append_header(const Report& report, std::string& out) {
    constexpr std::size_t kNamesMax = 5;
    std::string names;
    for (std::size_t i = 0; i < std::min(report.files.size(), kNamesMax); ++i) {
        names += (i == 0 ? "" : ", ") + text(report.files[i] == "-" ? "standard input" : report.files[i]);
    }
    if (report.files.size() > kNamesMax) names += fmt::format(" and {} more", report.files.size() - kNamesMax);
    out += fmt::format("<header><h1>Who would have been limited</h1>\n<p>{}", names);
    if (report.first) {
        out += fmt::format("<br>{} to {} UTC", time_text(*report.first), time_text(*report.last));
    }
    out += "</p></header>\n<div class=\"tiles\">\n";
    append_tile(noun_for(report.lines, "line"), report.lines, "", "", out);
    append_tile(noun_for(report.checked, "request") + " checked", report.checked, "", "", out);
    append_tile("allowed", report.allowed, "", "allowed", out);
    append_tile("denied", report.denied, fmt::format(", {:.1f} %", percent(report.denied, report.checked)), "denied",
                out);
    if (report.unparsable > 0) {
        append_tile(report.unparsable == 1 ? "line that does not count" : "lines that do not count", report.unparsable,
                    "", "", out);
    }
    out += "</div>\n";
}

void append_bar(double share, std::string& out) {
    out += "<td class=\"bar\"><div>";
    if (share > 0) out += fmt::format("<div style=\"width:{:.1f}%\"></div>", share);
    out += "</div></td>";
}

void append_rules_table(const Report& report, std::string& out) {
    out +=
        "<section class=\"card scroll\"><div class=\"head\"><h2>Rules</h2><span class=\"what\">each rule's own "
        "verdict</span></div>\n<table><tr><th>rule</th><th class=\"number\">checked</th><th class=\"number\">"
        "allowed</th><th class=\"number\">denied</th><th colspan=\"2\">share denied</th><th class=\"number\">denied "
        "keys</th>"
        "<th class=\"number\">clients</th><th>worst minute, UTC</th></tr>\n";
    for (const RuleReport& rule : report.rules) {
        const std::string name = text(rule.rule);
        out += fmt::format("<tr><td><a href=\"#{0}\">{0}</a>{1}<small>{2}</small></td>", name,
                           rule.shadow ? " <span class=\"badge\">shadow</span>" : "",
                           html_escape(joined(rule.limits, "; ")));
        for (const std::uint64_t number : {rule.checked, rule.allowed, rule.denied}) {
            out += fmt::format("<td class=\"number\">{}</td>", grouped(number));
        }
        const double share = percent(rule.denied, rule.checked);
        append_bar(share, out);
        out += fmt::format("<td class=\"number\">{:.1f} %</td>", share);
        out += fmt::format("<td class=\"number\">{}</td><td class=\"number\">{}</td>", grouped(rule.denied_keys),
                           grouped(rule.denied_clients));
        if (rule.worst_minute) {
            out += fmt::format("<td class=\"when\">{}<small>{} denied</small></td></tr>\n",
                               time_text(rule.worst_minute->start).substr(0, 16), grouped(rule.worst_minute->denied));
        } else {
            out += "<td>–</td></tr>\n";
        }
    }
    out += "</table></section>\n";
}

struct Bar {
    std::string label;  // escaped
    std::uint64_t denied = 0;
};

void append_bars(std::string_view title, const std::vector<Bar>& bars, std::uint64_t all, std::string& out) {
    if (bars.empty()) return;
    out += fmt::format("<div><h3>{}</h3><table>\n", title);
    const std::uint64_t most = bars.front().denied;
    for (const Bar& bar : bars) {
        out += fmt::format("<tr><td class=\"value\">{}</td>", bar.label);
        append_bar(percent(bar.denied, most), out);
        out += fmt::format("<td class=\"number\">{}</td></tr>\n", grouped(bar.denied));
    }
    out += "</table>";
    if (all > bars.size()) out += fmt::format("<p class=\"empty\">and {} more</p>", grouped(all - bars.size()));
    out += "</div>\n";
}

void append_chart(std::string_view title, std::string_view what, std::size_t series, bool tall, std::string& out) {
    out += fmt::format(
        "<div class=\"head\"><h2>{}</h2><span class=\"what\">{}</span><span class=\"legend\"></span></div>\n"
        "<div class=\"chart{}\" data-series=\"{}\"></div>\n",
        title, what, tall ? " tall" : "", series);
}

void append_rule(const RuleReport& rule, std::size_t series, std::string& out) {
    const std::string name = text(rule.rule);
    out += fmt::format("<section class=\"card\" id=\"{}\">\n", name);
    const std::string keys = rule.key.empty() ? "one counter for all" : "by " + joined(rule.key, ", ");
    append_chart(name, html_escape(joined(rule.limits, "; ") + ", " + keys), series, false, out);
    std::vector<Bar> top;
    for (const KeyCount& key : rule.top) top.push_back({.label = html_escape(key_text(key)), .denied = key.denied});
    std::vector<Bar> clients;
    for (const ClientCount& client : rule.top_clients) {
        clients.push_back({.label = text(client.ip), .denied = client.denied});
    }
    out += "<div class=\"pair\">\n";
    append_bars("keys denied most", top, rule.denied_keys, out);
    append_bars("clients denied most, as the log writes them", clients, rule.denied_clients, out);
    out += "</div>\n";
    if (rule.denied == 0) out += "<p class=\"empty\">nobody was denied</p>\n";
    if (rule.banned > 0) {
        out += fmt::format("<p class=\"empty\">{} of the denials {} by the ban</p>\n", grouped(rule.banned),
                           rule.banned == 1 ? "was" : "were");
    }
    out += "</section>\n";
}

void append_bad_lines(const Report& report, std::string& out) {
    if (report.unparsable == 0) return;
    out += fmt::format(
        "<section class=\"card scroll\"><div class=\"head\"><h2>Lines that do not count</h2><span class=\"what\">"
        "the first of {}</span></div>\n<table><tr><th>where</th><th>why</th><th>what</th></tr>\n",
        grouped(report.unparsable));
    for (const BadLine& bad : report.bad_lines) {
        out += fmt::format("<tr><td class=\"value\">{}:{}</td><td>{}</td><td class=\"value\">{}</td></tr>\n",
                           text(bad.file), bad.line, text(bad.reason), text(bad.text));
    }
    out += "</table></section>\n";
}

// The rules that get a chart: those that denied most, in the order of the file.
std::vector<const RuleReport*> charted(const Report& report) {
    std::vector<const RuleReport*> rules;
    for (const RuleReport& rule : report.rules) rules.push_back(&rule);
    if (rules.size() > kChartsMax) {
        std::stable_sort(rules.begin(), rules.end(), [](const RuleReport* a, const RuleReport* b) {
            return a->denied != b->denied ? a->denied > b->denied : a->checked > b->checked;
        });
        rules.resize(kChartsMax);
        std::sort(rules.begin(), rules.end());
    }
    return rules;
}

void append_scripts(const Report& report, const std::vector<const RuleReport*>& rules, std::string_view nonce,
                    std::string& out) {
    out += fmt::format(R"(<script type="application/json" id="series">{{"step":{},"start":{},"steps":{},"series":[)",
                       report.series.step_seconds(), report.series.start_seconds(), report.series.steps().size());
    append_series(report.series, out);
    for (const RuleReport* rule : rules) {
        out += ",";
        append_series(rule->series, out);
    }
    out += "]}</script>\n";
    for (const std::string_view script : {without_source_map(embedded::dygraph_js), embedded::replay_page_js}) {
        out += fmt::format("<script nonce=\"{}\">", nonce);
        out += script;
        out += "</script>\n";
    }
}

}  // namespace

std::string report_html(const Report& report) {
    const std::string nonce = make_nonce();
    const std::vector<const RuleReport*> rules = charted(report);
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'nonce-{}'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>stint replay: who would have been limited</title>\n<style>\n",
        nonce);
    out += without_source_map(embedded::dygraph_css);
    out += embedded::replay_page_css;
    out += "</style>\n</head>\n<body>\n<main>\n";
    append_header(report, out);
    out += "<section class=\"card\">\n";
    append_chart("All requests",
                 "denied by at least one enforced rule, or allowed; drag to zoom, double-click to go back", 0, true,
                 out);
    out += "</section>\n";
    append_rules_table(report, out);
    for (std::size_t i = 0; i < rules.size(); ++i) append_rule(*rules[i], i + 1, out);
    if (rules.size() < report.rules.size()) {
        out += fmt::format("<p class=\"empty\">Charts of the {} rules that denied most; all {} are in the table.</p>\n",
                           rules.size(), report.rules.size());
    }
    append_bad_lines(report, out);
    out +=
        "<footer>Made by <code>stint replay</code>. Times are in UTC. A key is counted as the rules see it: IPv6 "
        "addresses are cut to a prefix. Charts: dygraphs (MIT).</footer>\n</main>\n";
    append_scripts(report, rules, nonce, out);
    out += "</body>\n</html>\n";
    return out;
}

}  // namespace stint::inline v0::replay
