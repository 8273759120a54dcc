#include "replay/request_line.hpp"

#include <gtest/gtest.h>

#include <string>

namespace stint::inline v0::replay {
namespace {

// All that a request line can set, absent fields as "-".
std::string fields(std::string_view request) {
    AccessRecord record;
    set_request(request, record);
    std::string text;
    for (const Field field : {Field::method, Field::host, Field::path, Field::query, Field::protocol}) {
        if (!text.empty()) text += ' ';
        text += record.has(field) ? "'" + std::string{record.get(field)} + "'" : "-";
    }
    return text;
}

TEST(RequestLine, TakesMethodPathQueryAndProtocol) {
    EXPECT_EQ(fields("GET /a/b?c=d&e HTTP/1.1"), "'GET' - '/a/b' 'c=d&e' 'HTTP/1.1'");
    EXPECT_EQ(fields("POST / HTTP/2.0"), "'POST' - '/' - 'HTTP/2.0'");
    EXPECT_EQ(fields("GET /"), "'GET' - '/' - -");
}

TEST(RequestLine, TellsAnEmptyQueryFromNone) {
    EXPECT_EQ(fields("GET /a? HTTP/1.1"), "'GET' - '/a' '' 'HTTP/1.1'");
    EXPECT_EQ(fields("GET ?x HTTP/1.1"), "'GET' - '' 'x' 'HTTP/1.1'");
    EXPECT_EQ(fields("GET /a?b?c HTTP/1.1"), "'GET' - '/a' 'b?c' 'HTTP/1.1'");
}

TEST(RequestLine, TakesAnyTokenAsMethod) {
    EXPECT_EQ(fields("get / HTTP/1.0"), "'get' - '/' - 'HTTP/1.0'");
    EXPECT_EQ(fields("SSTP_DUPLEX_POST /sra_{BA195980}/ HTTP/1.1"),
              "'SSTP_DUPLEX_POST' - '/sra_{BA195980}/' - 'HTTP/1.1'");
    EXPECT_EQ(fields("!#$%&'*+-.^_`|~09az /"), "'!#$%&'*+-.^_`|~09az' - '/' - -");
}

TEST(RequestLine, TakesHostAndPathFromAnAbsoluteUri) {
    EXPECT_EQ(fields("GET http://www.example.org/a?b HTTP/1.1"), "'GET' 'www.example.org' '/a' 'b' 'HTTP/1.1'");
    EXPECT_EQ(fields("GET HTTPS://u:p@h.example:8443 HTTP/1.1"), "'GET' 'h.example' '/' - 'HTTP/1.1'");
    EXPECT_EQ(fields("GET http://h?x HTTP/1.1"), "'GET' 'h' '/' 'x' 'HTTP/1.1'");
    EXPECT_EQ(fields("GET http://[2001:db8::1]:80/ HTTP/1.1"), "'GET' '[2001:db8::1]' '/' - 'HTTP/1.1'");
    EXPECT_EQ(fields("GET http:///x HTTP/1.1"), "'GET' - '/x' - 'HTTP/1.1'");
}

TEST(RequestLine, SeesAnUriInsideAPathAsPath) {
    EXPECT_EQ(fields("GET /go?to=http://x/ HTTP/1.1"), "'GET' - '/go' 'to=http://x/' 'HTTP/1.1'");
    EXPECT_EQ(fields("GET //h/x HTTP/1.1"), "'GET' - '//h/x' - 'HTTP/1.1'");
    EXPECT_EQ(fields("GET 1http://h/ HTTP/1.1"), "'GET' - '1http://h/' - 'HTTP/1.1'");
    EXPECT_EQ(fields("GET ://h/ HTTP/1.1"), "'GET' - '://h/' - 'HTTP/1.1'");
}

TEST(RequestLine, KeepsAnAsteriskAsPathAndGivesConnectNone) {
    EXPECT_EQ(fields("OPTIONS * HTTP/1.1"), "'OPTIONS' - '*' - 'HTTP/1.1'");
    EXPECT_EQ(fields("CONNECT mail.example:25 HTTP/1.1"), "'CONNECT' 'mail.example' - - 'HTTP/1.1'");
    EXPECT_EQ(fields("CONNECT [::1]:25 HTTP/1.1"), "'CONNECT' '[::1]' - - 'HTTP/1.1'");
    EXPECT_EQ(fields("CONNECT /a HTTP/1.1"), "'CONNECT' - '/a' - 'HTTP/1.1'");
    EXPECT_EQ(fields("GET mail.example:25 HTTP/1.1"), "'GET' - 'mail.example:25' - 'HTTP/1.1'");
}

TEST(RequestLine, HasNothingOfWhatIsNoRequest) {
    using namespace std::string_view_literals;
    for (const std::string_view text :
         {""sv, "-"sv, "GET"sv, "GET "sv, " /"sv, "GET  / HTTP/1.1"sv, "GET / HTTP/1.1 "sv, "GET /a b HTTP/1.1"sv,
          "GET / FTP/1.0"sv, "GET / HTTP/"sv, "G(T / HTTP/1.1"sv, "\x16\x03\x01\x02 \x01 HTTP/1.1"sv,
          "\x80w\x01\x03\x01"sv, "GET\0 / HTTP/1.1"sv, "\0 \0"sv}) {
        EXPECT_EQ(fields(text), "- - - - -") << text;
    }
}

TEST(RequestLine, TakesAnyBytesAsTarget) {
    const std::string target{"/\0\xFF\t\"<", 6};
    const std::string whole = "GET " + target;
    AccessRecord record;
    set_request(whole, record);
    EXPECT_EQ(record.get(Field::method), "GET");
    EXPECT_EQ(record.get(Field::path), target);
}

}  // namespace
}  // namespace stint::inline v0::replay
