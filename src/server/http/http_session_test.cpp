#include "server/http/http_session.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http_session_driver.hpp"

namespace stint::inline v0::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string post(std::string_view path, std::string_view body, std::string_view fields = "") {
    return fmt::format("POST {} HTTP/1.1\r\nHost: a\r\n{}Content-Length: {}\r\n\r\n{}", path, fields, body.size(),
                       body);
}

std::string check_for(std::string_view team) {
    return post("/v1/check", fmt::format(R"({{"attributes":{{"action":"submit","team":"{}"}}}})", team));
}

/// Three submissions a minute for each team; small bounds.
struct Server : SessionHost {
    Server()
        : SessionHost(rules(),
                      {.body_bytes_max = 1000, .header_bytes_max = 500, .attributes_max = 8, .pipelined_max = 4}) {}

    static RuleSet rules() {
        Rule rule;
        rule.name = "submit";
        rule.match = {{"action", {"submit"}}};
        rule.key = {"team"};
        rule.limits = {Limit::fixed_window(3, std::chrono::seconds{60})};
        return RuleSet{{rule}};
    }
};
using Client = SessionDriver;

std::string answer_to(std::string_view bytes) {
    Server server;
    return Client{server}.send(bytes);
}

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

TEST(HttpSession, AnswersACheckWithBodyAndFields) {
    const std::string body =
        R"({"allowed":true,"rule":"submit","limit":3,"remaining":2,"retry_after_ms":0,"reset_after_ms":60000,)"
        R"("denied_by":[],"silent":false,"source":"store","limits":[{"rule":"submit","algorithm":"fixed_window",)"
        R"("limit":3,"remaining":2,"allowed":true,"shadow":false,"banned":false,"retry_after_ms":0,)"
        R"("reset_after_ms":60000}]})";
    EXPECT_EQ(answer_to(check_for("42")),
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                  "\r\nRateLimit-Policy: \"submit\";q=3;w=60\r\nRateLimit: \"submit\";r=2;t=60\r\n\r\n" + body);
}

TEST(HttpSession, DeniesTheFourthSubmission) {
    Server server;
    Client client{server};
    for (int i = 0; i < 3; ++i) EXPECT_THAT(client.send(check_for("42")), StartsWith("HTTP/1.1 200 OK\r\n"));
    const std::string denied = client.send(check_for("42"));
    EXPECT_THAT(denied, StartsWith("HTTP/1.1 429 Too Many Requests\r\n"));
    EXPECT_THAT(denied, HasSubstr("\r\nRateLimit: \"submit\";r=0;t=60\r\nRetry-After: 60\r\n\r\n"));
    EXPECT_THAT(denied, HasSubstr(R"("allowed":false,"rule":"submit","limit":3,"remaining":0,"retry_after_ms":60000)"));
    EXPECT_THAT(denied, HasSubstr(R"("denied_by":["submit"])"));
    EXPECT_THAT(client.send(check_for("7")), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(HttpSession, SaysNeverAsNullAndWithoutRetryAfter) {
    const std::string never = answer_to(post("/v1/check", R"({"rule":"submit","key":{"team":"42"},"cost":4})"));
    EXPECT_THAT(never, StartsWith("HTTP/1.1 429 "));
    EXPECT_THAT(never, HasSubstr(R"("retry_after_ms":null)"));
    EXPECT_THAT(never, Not(HasSubstr("Retry-After")));
}

TEST(HttpSession, AllowsWithoutFieldsWhenNoRuleApplies) {
    const std::string answer = answer_to(post("/v1/check", R"({"attributes":{"action":"read"}})"));
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, Not(HasSubstr("RateLimit")));
    EXPECT_THAT(answer, EndsWith(R"({"allowed":true,"rule":null,"limit":null,"remaining":null,"retry_after_ms":0,)"
                                 R"("reset_after_ms":0,"denied_by":[],"silent":false,"source":"none","limits":[]})"));
}

TEST(HttpSession, PeeksWithoutConsumingAndResets) {
    Server server;
    Client client{server};
    const std::string by_rule = R"({"rule":"submit","key":{"team":"42"}})";
    client.send(post("/v1/check", by_rule));
    for (int i = 0; i < 5; ++i) EXPECT_THAT(client.send(post("/v1/peek", by_rule)), HasSubstr(R"("remaining":)"));
    EXPECT_THAT(client.send(post("/v1/check", by_rule)), HasSubstr(R"("limit":3,"remaining":1,)"));
    EXPECT_THAT(client.send(post("/v1/reset", by_rule)), EndsWith(R"({"reset":true})"));
    EXPECT_THAT(client.send(post("/v1/check", by_rule)), HasSubstr(R"("limit":3,"remaining":2,)"));
}

TEST(HttpSession, GivesTheSameRepliesHoweverItsInputIsCut) {
    const std::string input =
        check_for("42") + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" + check_for("42") +
        "POST /v1/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5;x=y\r\n{\"att\r\n16\r\nributes\":{\"team\":\"42\"}\r\n1\r\n}\r\n0\r\nTrailer: t\r\n\r\n" +
        post("/v1/check", "{") + "GET /nothing HTTP/1.0\r\n\r\n";
    const std::string whole = answer_to(input);
    EXPECT_EQ(count_of(whole, "HTTP/1.1 "), 6U);
    EXPECT_EQ(count_of(whole, "HTTP/1.1 200 OK"), 4U) << whole;
    for (std::size_t piece = 1; piece <= input.size(); ++piece) {
        Server server;
        ASSERT_EQ(Client{server}.send(input, piece), whole) << piece;
    }
    for (std::size_t cut = 0; cut <= input.size(); ++cut) {
        Server server;
        Client client{server};
        std::string pieces = client.send(std::string_view{input}.substr(0, cut));
        pieces += client.send(std::string_view{input}.substr(cut));
        ASSERT_EQ(pieces, whole) << cut;
    }
}

TEST(HttpSession, PutsOffRequestsBeyondItsBound) {
    Server server;
    HttpSession session{server.shared};
    std::string input;
    for (int i = 0; i < 10; ++i) input += "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
    const std::span<char> room = session.prepare();
    ASSERT_LE(input.size(), room.size());
    std::copy(input.begin(), input.end(), room.begin());
    session.commit(input.size());
    EXPECT_EQ(count_of(session.output(), "HTTP/1.1 200 OK"), 4U);
    EXPECT_TRUE(session.more());
    session.output().clear();
    session.resume();
    EXPECT_EQ(count_of(session.output(), "HTTP/1.1 200 OK"), 4U);
    session.output().clear();
    session.resume();
    EXPECT_EQ(count_of(session.output(), "HTTP/1.1 200 OK"), 2U);
    EXPECT_FALSE(session.more());
    EXPECT_FALSE(session.under_way());
}

TEST(HttpSession, KeepsTheConnectionAsTheVersionSays) {
    struct Case {
        std::string request;
        bool closes;
        std::string field;
    };
    const std::vector<Case> cases = {
        {"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", false, ""},
        {"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", true, "Connection: close\r\n"},
        {"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Close, x\r\n\r\n", true, "Connection: close\r\n"},
        {"GET /healthz HTTP/1.0\r\n\r\n", true, "Connection: close\r\n"},
        {"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false, "Connection: keep-alive\r\n"},
    };
    for (const Case& each : cases) {
        Server server;
        Client client{server};
        const std::string answer = client.send(each.request + "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(client.session.closing(), each.closes) << each.request;
        EXPECT_EQ(count_of(answer, "HTTP/1.1 200 OK"), each.closes ? 1U : 2U) << each.request;
        EXPECT_THAT(answer, HasSubstr(each.field));
    }
}

TEST(HttpSession, AnswersProbesAndHead) {
    EXPECT_THAT(answer_to("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"), EndsWith(R"({"status":"ready"})"));
    EXPECT_THAT(answer_to("GET http://a:1/healthz?x=1 HTTP/1.1\r\nHost: a\r\n\r\n"), EndsWith(R"({"status":"ok"})"));
    EXPECT_EQ(answer_to("HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n");
    Server server;
    server.ready = false;
    const std::string draining = Client{server}.send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_THAT(draining, StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
}

TEST(HttpSession, TakesATargetInAbsoluteForm) {
    const auto status_of = [](std::string_view target) {
        return answer_to(fmt::format("GET {} HTTP/1.1\r\nHost: a\r\n\r\n", target)).substr(9, 3);
    };
    for (const char* target : {"http://a/healthz", "HTTP://a/healthz", "hTTp://A:80/healthz?x"}) {
        EXPECT_EQ(status_of(target), "200") << target;
    }
    for (const char* target :
         {"http://a", "http://a?/healthz", "http://a/HEALTHZ", "htt", "http:/healthz", "ftp://a/healthz"}) {
        EXPECT_EQ(status_of(target), "404") << target;
    }
}

TEST(HttpSession, NoReplyToHeadHasABody) {
    const std::string refused = answer_to("HEAD /healthz HTTP/1.1\r\n\r\n");  // no Host
    EXPECT_THAT(refused, StartsWith("HTTP/1.1 400 Bad Request\r\n"));
    EXPECT_TRUE(refused.ends_with("\r\n\r\n")) << refused;
}

TEST(HttpSession, AsksForABodyThatWaitsForContinue) {
    Server server;
    Client client{server};
    const std::string request = post("/v1/check", R"({"attributes":{}})", "Expect: 100-continue\r\n");
    const std::size_t header = request.find("\r\n\r\n") + 4;
    EXPECT_EQ(client.send(request.substr(0, header)), "HTTP/1.1 100 Continue\r\n\r\n");
    EXPECT_THAT(client.send(request.substr(header)), StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(client.send(request), StartsWith("HTTP/1.1 200 OK\r\n")) << "the body is there already";
    EXPECT_THAT(answer_to(post("/v1/check", "{}", "Expect: more\r\n")), StartsWith("HTTP/1.1 417 "));
    EXPECT_THAT(answer_to(post("/v1/check", std::string(1001, ' '), "Expect: 100-continue\r\n")),
                StartsWith("HTTP/1.1 413 "));
}

TEST(HttpSession, EndsAfterWhatWasAskedWhenDraining) {
    Server server;
    Client client{server};
    EXPECT_THAT(client.send(check_for("1")), Not(HasSubstr("Connection: close")));
    server.shared.draining = true;
    const std::string answer = client.send(check_for("1") + check_for("1"));
    EXPECT_EQ(count_of(answer, "HTTP/1.1 200 OK"), 2U);
    EXPECT_EQ(count_of(answer, "Connection: close"), 1U);
    EXPECT_TRUE(client.session.closing());
}

TEST(HttpSession, TimesOutARequest) {
    Server server;
    Client client{server};
    client.send("POST /v1/check HTTP/1.1\r\nHo");
    EXPECT_TRUE(client.session.under_way());
    client.session.time_out();
    EXPECT_THAT(client.session.output(), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
    EXPECT_TRUE(client.session.closing());
}

TEST(HttpSession, ForgivesAnEmptyLineBetweenRequests) {
    Server server;
    const std::string answer = Client{server}.send(check_for("1") + "\r\n" + check_for("2") + "\r\n");
    EXPECT_EQ(count_of(answer, "HTTP/1.1 200 OK"), 2U);
    EXPECT_THAT(answer_to("\r\n\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST(HttpSession, TakesABodyAsLargeAsItsBound) {
    std::string body = R"({"attributes":{"action":"submit","team":""}})";
    body.insert(body.size() - 3, 1000 - body.size(), 'x');
    ASSERT_EQ(body.size(), 1000U);
    EXPECT_THAT(answer_to(post("/v1/check", body)), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(HttpSession, BoundsHeadersChunkHeadersAndTrailersHoweverTheyAreCut) {
    const std::string chunked = "POST /v1/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string body = R"({"attributes":{}})";
    const std::string chunk = fmt::format("{:x}\r\n{}", body.size(), body);
    struct Case {
        std::string before, begin, end, after;  // what is bounded goes from `begin` to `end`
    };
    const std::vector<Case> cases = {
        {"", "GET /healthz HTTP/1.1\r\nHost: a\r\nX: ", "\r\n\r\n", ""},
        {"", "GET /healthz?", " HTTP/1.1\r\nHost: a\r\n\r\n", ""},
        {chunked, fmt::format("{:x};x=", body.size()), "\r\n", body + "\r\n0\r\n\r\n"},
        {chunked + "1\r\n{", fmt::format("\r\n{:x};x=", body.size() - 1), "\r\n", body.substr(1) + "\r\n0\r\n\r\n"},
        {chunked + chunk, "\r\n0;x=", "\r\n\r\n", ""},
        {chunked + chunk, "\r\n0\r\nTrailer: ", "\r\n\r\n", ""},
    };
    for (const Case& each : cases) {
        for (const std::size_t over : {0U, 1U, 2U, 600U, 5000U}) {
            Server server;
            const std::size_t fill = server.options.header_bytes_max + over - each.begin.size() - each.end.size();
            const std::string request = each.before + each.begin + std::string(fill, 'x') + each.end + each.after;
            for (const std::size_t piece : {1U, 7U, 499U, 500U, 501U, 4096U}) {
                EXPECT_THAT(Client{server}.send(request, piece),
                            StartsWith(over == 0 ? "HTTP/1.1 200 " : "HTTP/1.1 431 "))
                    << each.before << "|" << each.begin << " over by " << over << " in pieces of " << piece;
            }
        }
    }
}

struct BadRequest {
    std::string request;
    int status;
    std::string text;
    bool closes = true;
};

class HttpSessionRefuses : public testing::TestWithParam<BadRequest> {};

TEST_P(HttpSessionRefuses, AndSaysWhy) {
    const BadRequest& bad = GetParam();
    Server server;
    Client client{server};
    const std::string answer = client.send(bad.request);
    EXPECT_THAT(answer, StartsWith(fmt::format("HTTP/1.1 {} ", bad.status)));
    EXPECT_THAT(answer, HasSubstr(bad.text));
    EXPECT_EQ(count_of(answer, "Content-Length: "), 1U) << answer;
    EXPECT_EQ(client.session.closing(), bad.closes);
    // Nothing was consumed, whatever was wrong.
    EXPECT_THAT(Client{server}.send(check_for("42")), HasSubstr(R"("limit":3,"remaining":2,)"));
}

const std::string kHost = "Host: a\r\n";

INSTANTIATE_TEST_SUITE_P(
    Table, HttpSessionRefuses,
    testing::Values(
        BadRequest{post("/v1/check", ""), 400, R"({"error":"the body is empty; a JSON object is expected"})", false},
        BadRequest{post("/v1/check", R"({"attributes":{"team":42}})"), 400, R"(\"attributes\".\"team\")", false},
        BadRequest{post("/v1/check", R"({"rule":"none","key":{}})"), 404, R"(there is no rule \"none\")", false},
        BadRequest{post("/v1/check", R"({"rule":"submit","key":{}})"), 400, R"(counts by: \"team\")", false},
        BadRequest{post("/v1/peek", R"({"rule":"submit","key":{"team":"42","x":""}})"), 400, "exactly", false},
        BadRequest{post("/v1/reset", R"({"rule":"none","key":{}})"), 404, "there is no rule", false},
        BadRequest{post("/v1/release", "{}"), 400, R"(\"lease\" is missing)", false},
        BadRequest{post("/v2/check", "{}"), 404, "unknown path", false},
        BadRequest{post("/v1/check/", "{}"), 404, "unknown path", false},
        BadRequest{"GET /v1/check HTTP/1.1\r\n" + kHost + "\r\n", 405, "Allow: POST\r\n", false},
        BadRequest{"PUT /v1/peek HTTP/1.1\r\n" + kHost + "Content-Length: 2\r\n\r\n{}", 405, "Allow: POST\r\n", false},
        BadRequest{"DELETE /healthz HTTP/1.1\r\n" + kHost + "\r\n", 405, "Allow: GET, HEAD\r\n", false},
        BadRequest{post("/healthz", ""), 405, "Allow: GET, HEAD\r\n", false},
        BadRequest{post("/v1/check", std::string(1001, ' ')), 413, "larger than 1000 bytes"},
        BadRequest{"POST /v1/check HTTP/1.1\r\n" + kHost + "Content-Length: 18446744073709551615\r\n\r\n", 413, ""},
        BadRequest{"POST /v1/check HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n", 413, ""},
        BadRequest{"GET /" + std::string(600, 'x') + " HTTP/1.1\r\n", 431, "header is too large"},
        BadRequest{"GET / HTTP/1.1\r\nX: " + std::string(600, 'x'), 431, "header is too large"},
        BadRequest{"GET / HTTP/1.1\r\n" + kHost + "A: " + std::string(250, 'x') + "\r\nB: " + std::string(250, 'x') +
                       "\r\n\r\n",
                   431, "header is too large"},
        BadRequest{
            "POST /v1/check HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(600, 'x'), 431,
            "chunk"},
        BadRequest{"GET / HTTP/1.1\r\n\r\n", 400, "Host"},
        BadRequest{"GET / HTTP/1.1\r\n" + kHost + kHost + "\r\n", 400, "Host"},
        BadRequest{"POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: gzip\r\n\r\n", 501, "chunked"},
        BadRequest{"POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501, "chunked"},
        BadRequest{"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "HTTP/1.0"},
        BadRequest{"POST / HTTP/1.1\r\n" + kHost + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400, ""},
        BadRequest{"POST / HTTP/1.1\r\n" + kHost + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, ""},
        BadRequest{"POST / HTTP/1.1\r\n" + kHost + "Content-Length: -1\r\n\r\n", 400, "Content-Length"},
        BadRequest{"POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\nx\r\n", 400, "chunk"},
        BadRequest{"GET / HTTP/2.0\r\n" + kHost + "\r\n", 505, "HTTP/1.1"},
        BadRequest{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "HTTP/1.1"},
        BadRequest{"\x16\x03\x01\x02", 400, "not valid HTTP"}, BadRequest{"GET\r\n\r\n", 400, "not valid HTTP"},
        BadRequest{"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400, "not valid HTTP"},
        BadRequest{"GET / HTTP/1.1\nHost: a\n\n", 400, "not valid HTTP"}));

}  // namespace
}  // namespace stint::inline v0::http
