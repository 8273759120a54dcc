#include "replay/report_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/counted.hpp"
#include "replay/escape.hpp"

namespace stint::inline v0::replay {
namespace {

constexpr std::size_t kColumns = 7;
using Row = std::array<std::string, kColumns>;

std::string minute_text(const std::optional<WorstMinute>& worst) {
    if (!worst) return "-";
    return fmt::format("{} ({})", time_text(worst->start).substr(0, 16), grouped(worst->denied));
}

// A table with the first and last column to the left, numbers to the right.
std::string table(const std::vector<Row>& rows) {
    std::array<std::size_t, kColumns> widths{};
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const Row& row : rows) {
        text += fmt::format("{:<{}}", row[0], widths[0]);
        for (std::size_t i = 1; i + 1 < kColumns; ++i) text += fmt::format("  {:>{}}", row[i], widths[i]);
        text += fmt::format("  {}\n", row[kColumns - 1]);
    }
    return text;
}

std::string rule_details(const RuleReport& rule) {
    if (rule.denied == 0 || (rule.top.empty() && rule.banned == 0)) return {};
    std::string text = fmt::format("\n{}: {}\n", rule.rule, rule.top.empty() ? "denied" : "denied most");
    const std::size_t width = rule.top.empty() ? 0 : grouped(rule.top.front().denied).size();
    for (const KeyCount& top : rule.top)
        text += fmt::format("  {:>{}}  {}\n", grouped(top.denied), width, key_text(top));
    if (!rule.top.empty() && rule.denied_keys > rule.top.size()) {
        text += fmt::format("  {:>{}}  and {} more\n", "", width, grouped(rule.denied_keys - rule.top.size()));
    }
    if (rule.banned > 0) {
        text += fmt::format("  {} of these denials {} by the ban\n", grouped(rule.banned),
                            rule.banned == 1 ? "was" : "were");
    }
    return text;
}

}  // namespace

std::string grouped(std::uint64_t number) {
    std::string text = fmt::format("{}", number);
    for (std::size_t place = text.size(); place > 3; place -= 3) text.insert(place - 3, 1, ',');
    return text;
}

std::string time_text(Instant time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{std::chrono::floor<std::chrono::seconds>(time - day)};
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                       clock.minutes().count(), clock.seconds().count());
}

std::string key_text(const KeyCount& key) {
    if (key.key.empty()) return "(all requests)";
    std::string text;
    for (const auto& [attribute, value] : key.key) {
        if (!text.empty()) text += ' ';
        text += fmt::format("{}={}", attribute, value.empty() ? "\"\"" : printable(value));
    }
    return text;
}

std::string bad_lines_text(const Report& report) {
    if (report.unparsable == 0) return {};
    std::string text = fmt::format("{} {} not count:\n", grouped(report.unparsable),
                                   report.unparsable == 1 ? "line does" : "lines do");
    for (const BadLine& bad : report.bad_lines) {
        text += fmt::format("  {}:{}: {}: {}\n", printable(bad.file), bad.line, bad.reason, printable(bad.text, 100));
    }
    if (report.unparsable > report.bad_lines.size()) {
        text += fmt::format("  and {} more\n", grouped(report.unparsable - report.bad_lines.size()));
    }
    return text;
}

std::string report_text(const Report& report) {
    std::string text = fmt::format("{} {}", grouped(report.lines), noun_for(report.lines, "line"));
    if (report.first) text += fmt::format(", {} to {} UTC", time_text(*report.first), time_text(*report.last));
    text += fmt::format("\n{} {} checked: {} allowed, {} denied", grouped(report.checked),
                        noun_for(report.checked, "request"), grouped(report.allowed), grouped(report.denied));
    if (report.checked > 0) {
        text += fmt::format(" ({:.1f} %)",
                            100.0 * static_cast<double>(report.denied) / static_cast<double>(report.checked));
    }
    text += "\n\n";
    std::vector<Row> rows{{"rule", "checked", "allowed", "denied", "denied keys", "clients", "worst minute (denied)"}};
    for (const RuleReport& rule : report.rules) {
        rows.push_back({rule.rule + (rule.shadow ? " (shadow)" : ""), grouped(rule.checked), grouped(rule.allowed),
                        grouped(rule.denied), grouped(rule.denied_keys), grouped(rule.denied_clients),
                        minute_text(rule.worst_minute)});
    }
    text += table(rows);
    for (const RuleReport& rule : report.rules) text += rule_details(rule);
    if (const std::string bad = bad_lines_text(report); !bad.empty()) text += "\n" + bad;
    return text;
}

}  // namespace stint::inline v0::replay
