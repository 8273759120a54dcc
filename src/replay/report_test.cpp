// The three forms of a report, from one made by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "replay/report_html.hpp"
#include "replay/report_json.hpp"
#include "replay/report_text.hpp"

namespace stint::inline v0::replay {
namespace {

using testing::HasSubstr;
using testing::Not;

Report sample() {
    const Instant start{std::chrono::seconds{971'211'300}};  // 2000-10-10 20:55:00 UTC
    Report report;
    report.files = {"access.log"};
    report.lines = 1300;
    report.unparsable = 2;
    report.checked = 1298;
    report.allowed = 1295;
    report.denied = 3;
    report.first = start;
    report.last = start + std::chrono::seconds{36};
    report.bad_lines = {{.file = "access.log", .line = 17, .reason = "no [time]", .text = "\x1B[2J<b>"}};
    report.series.add(start, true);
    RuleReport& rule = report.rules.emplace_back();
    rule.rule = "api";
    rule.key = {"ip", "path"};
    rule.limits = {"fixed_window 60 per 1m"};
    rule.checked = 1298;
    rule.allowed = 1295;
    rule.denied = 3;
    rule.denied_keys = 2;
    rule.top = {{.key = {{"ip", "10.0.0.1"}, {"path", "/<script>alert(1)</script>"}}, .denied = 2},
                {.key = {{"ip", "\xFF"}, {"path", ""}}, .denied = 1}};
    rule.denied_clients = 2;
    rule.top_clients = {{.ip = "10.0.0.1", .denied = 2}, {.ip = "\xFF", .denied = 1}};
    rule.worst_minute = WorstMinute{.start = start, .denied = 3};
    RuleReport& all = report.rules.emplace_back();
    all.rule = "all";
    all.shadow = true;
    return report;
}

TEST(ReportJson, IsExactlyTheDocumentedObject) {
    EXPECT_EQ(report_json(sample()),
              R"({"lines":1300,"unparsable":2,"checked":1298,"allowed":1295,"denied":3,"rules":[)"
              R"({"rule":"api","checked":1298,"allowed":1295,"denied":3,"denied_keys":2,"top":[)"
              R"({"key":{"ip":"10.0.0.1","path":"/<script>alert(1)</script>"},"denied":2},)"
              R"({"key":{"ip":{"base64":"/w=="},"path":""},"denied":1}],"denied_clients":2,"top_clients":[)"
              R"({"ip":"10.0.0.1","denied":2},{"ip":{"base64":"/w=="},"denied":1}]},)"
              R"({"rule":"all","checked":0,"allowed":0,"denied":0,"denied_keys":0,"top":[],"denied_clients":0,)"
              R"("top_clients":[]}]})");
}

TEST(ReportJson, WritesTheKeyOfEverybodyAsAnEmptyObject) {
    Report report;
    RuleReport& rule = report.rules.emplace_back();
    rule.rule = "all";
    rule.top = {{.key = {}, .denied = 7}};
    EXPECT_THAT(report_json(report), HasSubstr(R"("top":[{"key":{},"denied":7}])"));
}

TEST(ReportText, AlignsItsTableAndNamesTheWorstMinute) {
    EXPECT_THAT(report_text(sample()), HasSubstr("rule          checked  allowed  denied  denied keys  clients  worst "
                                                 "minute (denied)\n"
                                                 "api             1,298    1,295       3            2        2  "
                                                 "2000-10-10 20:55 (3)\n"
                                                 "all (shadow)        0        0       0            0        0  -\n"));
}

TEST(ReportText, ListsTheKeysDeniedMostAndTheLinesThatDoNotCount) {
    const std::string text = report_text(sample());
    EXPECT_THAT(text, HasSubstr("api: denied most\n"
                                "  2  ip=10.0.0.1 path=/<script>alert(1)</script>\n"
                                "  1  ip=\\xff path=\"\"\n"));
    EXPECT_THAT(text, HasSubstr("2 lines do not count:\n"
                                "  access.log:17: no [time]: \\x1b[2J<b>\n"
                                "  and 1 more\n"));
    EXPECT_THAT(text, HasSubstr("1,300 lines, 2000-10-10 20:55:00 to 2000-10-10 20:55:36 UTC\n"
                                "1,298 requests checked: 1,295 allowed, 3 denied (0.2 %)\n"));
}

TEST(ReportText, HasNoHeadingOverNothing) {
    Report report = sample();
    report.rules.at(0).top.clear();
    EXPECT_THAT(report_text(report), Not(HasSubstr("api: ")));
    report.rules.at(0).banned = 2;
    EXPECT_THAT(report_text(report), HasSubstr("\napi: denied\n  2 of these denials were by the ban\n"));
}

TEST(ReportText, ShowsAnEmptyReport) {
    EXPECT_THAT(report_text(Report{}), HasSubstr("0 lines\n0 requests checked"));
}

TEST(ReportText, OneOfSomethingIsSingular) {
    Report report = sample();
    report.lines = report.checked = 1;
    report.rules.at(0).banned = 1;
    const std::string text = report_text(report);
    EXPECT_THAT(text, HasSubstr("1 line, "));
    EXPECT_THAT(text, HasSubstr("\n1 request checked: "));
    EXPECT_THAT(text, HasSubstr("\n  1 of these denials was by the ban\n"));
    const std::string page = report_html(report);
    EXPECT_THAT(page, HasSubstr("<b>1</b><span>line<"));
    EXPECT_THAT(page, HasSubstr("<b>1</b><span>request checked<"));
}

TEST(ReportText, GroupsDigits) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(12'345'678), "12,345,678");
}

TEST(ReportText, WritesTimesBeforeTheEpoch) {
    EXPECT_EQ(time_text(Instant{Duration{-1}}), "1969-12-31 23:59:59");
}

// The page without its scripts, which are the build's and not the log's.
std::string page_without_scripts(const Report& report) {
    std::string page = report_html(report);
    for (std::size_t at = page.find("<script nonce"); at != std::string::npos; at = page.find("<script nonce")) {
        page.erase(at, page.find("</script>", at) - at);
    }
    return page;
}

TEST(ReportHtml, EscapesWhatCameFromTheLog) {
    const std::string page = page_without_scripts(sample());
    EXPECT_THAT(page, HasSubstr("path=/&lt;script&gt;alert(1)&lt;/script&gt;"));
    EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(page, HasSubstr("\\x1b[2J&lt;b&gt;"));
    EXPECT_THAT(page, HasSubstr("ip=\\xff"));
}

TEST(ReportHtml, NeedsNothingFromOutside) {
    const std::string page = page_without_scripts(sample());
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
    for (const char* outside : {"src=\"", "<link", "@import", "url(", "http://", "https://", "sourceMappingURL"}) {
        EXPECT_THAT(page, Not(HasSubstr(outside)));
    }
    EXPECT_EQ(report_html(sample()).find("sourceMappingURL"), std::string::npos);
}

TEST(ReportHtml, HoldsTheSeriesOfEveryRuleAndOfAll) {
    const std::string page = page_without_scripts(sample());
    EXPECT_THAT(page, HasSubstr(R"({"step":1,"start":971211300,"steps":1,"series":[{"start":971211300,"allowed":[1],)"
                                R"("denied":[0]},{"start":0,"allowed":[],"denied":[]},{"start":0,)"));
    EXPECT_THAT(page, HasSubstr("data-series=\"2\""));
}

TEST(ReportHtml, ChartsOnlySomeOfVeryManyRules) {
    Report report;
    for (int i = 0; i < 100; ++i) {
        report.rules.emplace_back().rule = "r" + std::to_string(i);
        report.rules.back().denied = static_cast<std::uint64_t>(i);
    }
    const std::string page = page_without_scripts(report);
    EXPECT_THAT(page, HasSubstr("Charts of the 40 rules that denied most; all 100 are in the table."));
    EXPECT_THAT(page, HasSubstr("id=\"r99\""));
    EXPECT_THAT(page, Not(HasSubstr("id=\"r59\"")));
    EXPECT_THAT(page, HasSubstr(">r59</a>"));
}

}  // namespace
}  // namespace stint::inline v0::replay
