#include "replay/clf_line.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace stint::inline v0::replay {
namespace {

constexpr std::string_view kTime = "[10/Oct/2000:13:55:36 -0700]";

// All fields as name='value' in order, or the reason.
std::string fields(std::string_view line, bool combined = true) {
    Scratch scratch;
    const auto record = parse_clf_line(line, combined, scratch);
    if (!record) return std::string{record.error()};
    std::string text;
    for (std::size_t i = 0; i < kFieldCount; ++i) {
        const auto field = static_cast<Field>(i);
        if (!record->has(field)) continue;
        if (!text.empty()) text += ' ';
        text += std::string{kFieldNames[i]} + "='" + std::string{record->get(field)} + "'";
    }
    return text;
}

// A line with this request, in the combined format.
std::string with_request(std::string_view request) {
    return "10.0.0.1 - - " + std::string{kTime} + " \"" + std::string{request} + "\" 200 1 \"-\" \"-\"";
}

TEST(ClfLine, ReadsTheCombinedExampleOfApachesManual) {
    const std::string line = R"(127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326 )"
                             R"-("http://www.example.com/start.html" "Mozilla/4.08 [en] (Win98; I ;Nav)")-";
    Scratch scratch;
    const auto record = parse_clf_line(line, true, scratch);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->time, Instant{std::chrono::seconds{971'211'336}});
    EXPECT_EQ(fields(line),
              "ip='127.0.0.1' method='GET' path='/apache_pb.gif' status='200' user='frank' "
              "referer='http://www.example.com/start.html' user_agent='Mozilla/4.08 [en] (Win98; I ;Nav)' "
              "protocol='HTTP/1.0'");
    EXPECT_EQ(fields(line, false),
              "ip='127.0.0.1' method='GET' path='/apache_pb.gif' status='200' user='frank' protocol='HTTP/1.0'");
}

TEST(ClfLine, TakesADashAsAbsent) {
    EXPECT_EQ(fields(R"(::1 - - [10/Oct/2000:13:55:36 -0700] "-" - - "-" "-")"), "ip='::1'");
}

TEST(ClfLine, TakesAnEmptyTextAsValue) {
    EXPECT_EQ(fields(R"(a - "" [10/Oct/2000:13:55:36 -0700] "" 408 - "" "")"),
              "ip='a' status='408' user='' referer='' user_agent=''");
}

TEST(ClfLine, TakesHostNamesAndAnyBytesAsAddress) {
    for (const char* address : {"crawl-66-249.example.org", "2001:db8::1", "unix:", "\xFF\xFE", "<script>"}) {
        EXPECT_EQ(fields(std::string{address} + " - - " + std::string{kTime}), "ip='" + std::string{address} + "'");
    }
}

TEST(ClfLine, CountsALineWithAddressAndTimeAlone) {
    EXPECT_EQ(fields("10.0.0.1 [10/Oct/2000:13:55:36 -0700]"), "ip='10.0.0.1'");
    EXPECT_EQ(fields("10.0.0.1 - [10/Oct/2000:13:55:36 -0700]"), "ip='10.0.0.1'");
    EXPECT_EQ(fields("10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] junk"), "ip='10.0.0.1'");
}

TEST(ClfLine, DropsWhatFollowsAMalformedField) {
    EXPECT_EQ(fields(R"(a - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 2000 1 "r" "u")"),
              "ip='a' method='GET' path='/' referer='r' user_agent='u' protocol='HTTP/1.1'");
    EXPECT_EQ(fields(R"(a - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1 200 1)"), "ip='a'");
    EXPECT_EQ(fields(R"(a - - [10/Oct/2000:13:55:36 -0700] GET / HTTP/1.1 200 1 "r" "u")"), "ip='a'");
    EXPECT_EQ(fields(R"(a - - [10/Oct/2000:13:55:36 -0700] "GET /" 200 1 r "u")"),
              "ip='a' method='GET' path='/' status='200'");
    EXPECT_EQ(fields(R"(a - - [10/Oct/2000:13:55:36 -0700] "GET /" 200 1 "r" "u)"),
              "ip='a' method='GET' path='/' status='200' referer='r'");
}

TEST(ClfLine, SaysWhyALineDoesNotCount) {
    EXPECT_EQ(fields(""), "an empty line");
    EXPECT_EQ(fields(" 10.0.0.1 - - " + std::string{kTime}), "no address");
    EXPECT_EQ(fields("- - - " + std::string{kTime}), "no address");
    EXPECT_EQ(fields("10.0.0.1"), "no [time]");
    EXPECT_EQ(fields("10.0.0.1 - - 10/Oct/2000:13:55:36 -0700"), "no [time]");
    const std::string wrong = "the time is not [day/Mon/year:hour:minute:second +zone]";
    EXPECT_EQ(fields("10.0.0.1 - - [10/Oct/2000:13:55:36]"), wrong);
    EXPECT_EQ(fields("10.0.0.1 - - [10/Oct/2000:13:55:36 -0700"), wrong);
    EXPECT_EQ(fields("10.0.0.1 - - [] \"GET / HTTP/1.1\""), wrong);
}

TEST(ClfLine, FindsTheTimeBehindAUserWithSpacesAndBrackets) {
    EXPECT_EQ(fields("a - John [x] Doe [10/Oct/2000:13:55:36 -0700]"), "ip='a' user='John [x] Doe'");
    EXPECT_EQ(fields("a id -  [10/Oct/2000:13:55:36 -0700]"), "ip='a' user='- '");
}

TEST(ClfLine, UndoesEscapesInEveryTextField) {
    EXPECT_EQ(
        fields(R"(a - J\xc3\xb6rg [10/Oct/2000:13:55:36 -0700] "GET /\x22\"\\ HTTP/1.1" 200 1 "\x41" "say \"hi\"")"),
        "ip='a' method='GET' path='/\"\"\\' status='200' user='J\xc3\xb6rg' referer='A' user_agent='say \"hi\"' "
        "protocol='HTTP/1.1'");
}

TEST(ClfLine, LeavesOtherBackslashesAlone) {
    Scratch scratch;
    scratch.begin(100);
    for (const std::string_view text :
         {R"(\n)", R"(..\winnt\system32)", R"(\x4)", R"(\xZZ)", R"(\x)", R"(\)", R"(a\)"}) {
        EXPECT_EQ(unescape(text, scratch), text);
    }
    EXPECT_EQ(unescape(R"(\\x41\x41)", scratch), "\\x41A");
    EXPECT_EQ(unescape(R"(\x00)", scratch), std::string_view("\0", 1));
}

TEST(ClfLine, HasNoMethodOfATlsHello) {
    EXPECT_EQ(fields(with_request(R"(\x80w\x01\x03\x01)")), "ip='10.0.0.1' status='200'");
    EXPECT_EQ(fields(with_request(R"(\x16\x03\x01\x02\x00\x01\x00 \x01\xfc HTTP/1.1)")), "ip='10.0.0.1' status='200'");
}

TEST(ClfLine, TakesBytesThatAreNoUtf8AsTheyAre) {
    EXPECT_EQ(fields(with_request("GET /\xC0\xAF\x90\x01 HTTP/1.0")),
              "ip='10.0.0.1' method='GET' path='/\xC0\xAF\x90\x01' status='200' protocol='HTTP/1.0'");
    const std::string with_nul{"/\0x", 3};
    EXPECT_EQ(fields(with_request("GET " + with_nul + " HTTP/1.0")),
              "ip='10.0.0.1' method='GET' path='" + with_nul + "' status='200' protocol='HTTP/1.0'");
}

TEST(ClfLine, ReadsRequestLinesOfEightKilobytes) {
    const std::string path = "/" + std::string(8192, 'N');
    EXPECT_EQ(fields(with_request("GET " + path + "?x HTTP/1.0")),
              "ip='10.0.0.1' method='GET' path='" + path + "' query='x' status='200' protocol='HTTP/1.0'");
}

TEST(ClfLine, PassesOverAQuoteThatNobodyEscaped) {
    EXPECT_EQ(fields(with_request("GET /a\"b HTTP/1.0")),
              "ip='10.0.0.1' method='GET' path='/a\"b' status='200' protocol='HTTP/1.0'");
}

TEST(ClfLine, IgnoresFieldsThatFollowTheAgent) {
    EXPECT_EQ(fields(R"(a - - [10/Oct/2000:13:55:36 -0700] "GET /" 200 1 "-" "u" "1.2.3.4" 0.003)"),
              "ip='a' method='GET' path='/' status='200' user_agent='u'");
}

}  // namespace
}  // namespace stint::inline v0::replay
