#include "replay/json_line.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace stint::inline v0::replay {
namespace {

struct Read {
    std::string fields;
    Instant time;
};

// All fields as name='value' in order, or the reason.
Read read(std::string_view line) {
    Scratch scratch;
    JsonLineParser parser;
    const auto record = parser.parse(line, scratch);
    if (!record) return {.fields = std::string{record.error()}, .time = {}};
    std::string text;
    for (std::size_t i = 0; i < kFieldCount; ++i) {
        const auto field = static_cast<Field>(i);
        if (!record->has(field)) continue;
        if (!text.empty()) text += ' ';
        text += std::string{kFieldNames[i]} + "='" + std::string{record->get(field)} + "'";
    }
    return {.fields = text, .time = record->time};
}

TEST(JsonLine, ReadsWhatNginxIsUsuallyToldToWrite) {
    const Read line = read(
        R"({"time_iso8601":"2022-03-10T02:23:45+01:00","remote_addr":"192.0.2.7","remote_user":"","request_method":)"
        R"("GET","request_uri":"/a?b=c","status":"404","http_referer":"","http_user_agent":"curl/7.88","host":"h.example",)"
        R"("server_protocol":"HTTP/1.1"})");
    EXPECT_EQ(line.fields,
              "ip='192.0.2.7' method='GET' path='/a' query='b=c' status='404' host='h.example' "
              "user_agent='curl/7.88' protocol='HTTP/1.1'");
    EXPECT_EQ(line.time, Instant{std::chrono::seconds{1'646'875'425}});
}

TEST(JsonLine, ReadsCaddysAccessLog) {
    const Read line = read(
        R"({"level":"info","ts":1646861401.5241024,"logger":"http.log.access","msg":"handled request","request":)"
        R"({"remote_ip":"127.0.0.1","remote_port":"41342","client_ip":"198.51.100.4","proto":"HTTP/2.0","method":"GET",)"
        R"("host":"localhost:8443","uri":"/x?y","headers":{"User-Agent":["curl/7.82.0"],"Referer":["https://r/"]}},)"
        R"("user_id":"","duration":0.000929675,"size":10900,"status":200})");
    EXPECT_EQ(line.fields,
              "ip='198.51.100.4' method='GET' path='/x' query='y' status='200' host='localhost' referer='https://r/' "
              "user_agent='curl/7.82.0' protocol='HTTP/2.0'");
    EXPECT_EQ(line.time, Instant{Duration{1'646'861'401'524'102}});
}

TEST(JsonLine, ReadsTraefiksAccessLog) {
    const Read line =
        read(R"({"ClientAddr":"192.0.2.9:51234","ClientHost":"192.0.2.9","ClientUsername":"-","DownstreamStatus":429,)"
             R"("RequestHost":"api.example","RequestMethod":"POST","RequestPath":"/v1/items?n=1","RequestProtocol":)"
             R"("HTTP/1.1","StartUTC":"2023-05-17T10:11:12.123456789Z","request_User-Agent":"okhttp","time":)"
             R"("2023-05-17T10:11:13Z"})");
    EXPECT_EQ(line.fields,
              "ip='192.0.2.9' method='POST' path='/v1/items' query='n=1' status='429' host='api.example' "
              "user_agent='okhttp' protocol='HTTP/1.1'");
    EXPECT_EQ(line.time, Instant{Duration{1'684'318'272'123'456}});
}

TEST(JsonLine, TakesTheRequestLineApartWhenNobodyElseDid) {
    EXPECT_EQ(read(R"({"ip":"a","ts":1,"request":"GET http://h/p?q HTTP/1.1"})").fields,
              "ip='a' method='GET' path='/p' query='q' host='h' protocol='HTTP/1.1'");
    EXPECT_EQ(read(R"({"ip":"a","ts":1,"request":"-"})").fields, "ip='a'");
}

TEST(JsonLine, TakesTheQueryFromItsOwnField) {
    EXPECT_EQ(read(R"({"ip":"a","ts":1,"uri":"/p","args":"q=1"})").fields, "ip='a' path='/p' query='q=1'");
    EXPECT_EQ(read(R"({"ip":"a","ts":1,"uri":"/p?x","args":"q=1"})").fields, "ip='a' path='/p' query='x'");
}

TEST(JsonLine, DropsThePortBehindAnAddress) {
    EXPECT_EQ(read(R"({"ip":"192.0.2.9:80","ts":1})").fields, "ip='192.0.2.9'");
    EXPECT_EQ(read(R"({"ip":"[2001:db8::1]:80","ts":1})").fields, "ip='2001:db8::1'");
    EXPECT_EQ(read(R"({"ip":"2001:db8::1","ts":1})").fields, "ip='2001:db8::1'");
    EXPECT_EQ(read(R"({"ip":"::1","ts":1})").fields, "ip='::1'");
    EXPECT_EQ(read(R"({"ip":"[]","ts":1})").fields, "ip='[]'");
    EXPECT_EQ(read(R"({"ip":":80","ts":1})").fields, "ip=':80'");
}

TEST(JsonLine, DecodesEscapesAndKeepsBytesThatAreNoUtf8) {
    EXPECT_EQ(read(R"({"ip":"a\u00e9\"\\\u0000","ts":1})").fields, std::string("ip='a\xC3\xA9\"\\\0'", 11));
    EXPECT_EQ(read("{\"ip\":\"\xFF\",\"ts\":1}").fields, "ip='\xFF'");
}

TEST(JsonLine, TakesStatusAsNumberOrTextIfItIsOne) {
    EXPECT_EQ(read(R"({"ip":"a","ts":1,"status":200})").fields, "ip='a' status='200'");
    EXPECT_EQ(read(R"({"ip":"a","ts":1,"status":"503"})").fields, "ip='a' status='503'");
    for (const char* status :
         {"0", "99", "1000", "-200", "200.5", "\"-\"", "\"abc\"", "\"20\"", "null", "[]", "{}", "1e99"}) {
        EXPECT_EQ(read(R"({"ip":"a","ts":1,"status":)" + std::string{status} + "}").fields, "ip='a'") << status;
    }
}

TEST(JsonLine, SaysWhyALineDoesNotCount) {
    EXPECT_EQ(read("").fields, "an empty line");
    for (const char* text :
         {"x", "{", "[]", "1", "null", R"({"ip":"a","ts":1} x)", R"({"ip":"a" "ts":1})", R"({"ip":"\x41","ts":1})"}) {
        EXPECT_EQ(read(text).fields, "not one JSON object") << text;
    }
    EXPECT_EQ(read(std::string(5000, '[')).fields, "not one JSON object");
    EXPECT_EQ(read(R"({"ts":1})").fields, "no address in any of the known fields");
    EXPECT_EQ(read(R"({"ip":"-","ts":1})").fields, "no address in any of the known fields");
    EXPECT_EQ(read(R"({"ip":7,"ts":1})").fields, "no address in any of the known fields");
    EXPECT_EQ(read(R"({"ip":"a"})").fields, "no time with a zone in any of the known fields");
    EXPECT_EQ(read(R"({"ip":"a","time":"2022-03-10T01:23:45"})").fields,
              "no time with a zone in any of the known fields");
    EXPECT_EQ(read(R"({"ip":"a","ts":-1})").fields, "no time with a zone in any of the known fields");
}

TEST(JsonLine, ReadsOneLineAfterAnother) {
    Scratch scratch;
    JsonLineParser parser;
    EXPECT_FALSE(parser.parse("{\"ip\":", scratch));
    for (int i = 0; i < 3; ++i) {
        const auto record = parser.parse(R"({"ip":"a","ts":1})", scratch);
        ASSERT_TRUE(record);
        EXPECT_EQ(record->get(Field::ip), "a");
    }
    EXPECT_FALSE(parser.parse(R"({"ts":1})", scratch));
    EXPECT_TRUE(parser.parse(R"({"ip":"b","ts":1})", scratch));
}

}  // namespace
}  // namespace stint::inline v0::replay
