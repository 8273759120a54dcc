// Sessions whose decisions come from a store elsewhere, later or not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "server/http/http_session.hpp"
#include "support/failing_store.hpp"

namespace stint::inline v0::http {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string post(std::string_view path, const std::string& body) {
    return "POST " + std::string{path} + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}
std::string check_for(const std::string& team) {
    return post("/v1/check", R"({"attributes":{"team":")" + team + R"("}})");
}

RuleSet one_a_minute(OnStoreFailure policy) {
    Rule rule;
    rule.name = "submit";
    rule.key = {"team"};
    rule.limits = {Limit::fixed_window(1, std::chrono::seconds{60})};
    rule.on_store_failure = policy;
    return RuleSet{{rule}};
}

class LateReplyTest : public testing::Test {
protected:
    void send(HttpSession& session, std::string_view bytes) {
        const std::span<char> room = session.prepare();
        ASSERT_LE(bytes.size(), room.size());
        std::ranges::copy(bytes, room.begin());
        session.commit(bytes.size());
    }
    /// Lets the store answer, and what it answered reach the session's thread.
    void answer() {
        store_.answer_waiting();
        for (; !at_home_.empty(); at_home_.pop_front()) at_home_.front()();
    }
    /// Answers until nothing is awaited. Returns: all replies.
    std::string answer_all(HttpSession& session) {
        std::string replies = std::exchange(session.output(), {});
        while (session.waiting() || session.more()) {
            answer();
            session.resume();
            replies += std::exchange(session.output(), {});
        }
        return replies;
    }

    FailingStore store_;
    Limiter limiter_{store_, one_a_minute(OnStoreFailure::deny), {.local = {.max_memory = 4 << 20}}};
    HttpOptions options_;
    std::atomic<bool> ready_{true};
    std::deque<std::function<void()>> at_home_;
    HttpApi api_{limiter_, options_, ready_,
                 [this](std::function<void()> task) { at_home_.push_back(std::move(task)); }};
    HttpShared shared_{.api = api_, .options = options_, .date = {}};
};

TEST_F(LateReplyTest, PipelinedRequestsAreAnsweredInTheirOrder) {
    store_.answers_later = true;
    HttpSession session{shared_};
    int told = 0;
    session.on_late_reply([&] { ++told; });
    send(session, check_for("a") + check_for("a") + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" + check_for("b"));
    EXPECT_TRUE(session.waiting());
    EXPECT_FALSE(session.more());
    EXPECT_TRUE(session.output().empty());

    answer();
    EXPECT_EQ(told, 1);
    EXPECT_TRUE(session.more());
    const std::string replies = answer_all(session);
    EXPECT_EQ(told, 3);
    const std::size_t allowed = replies.find("HTTP/1.1 200");
    const std::size_t denied = replies.find("HTTP/1.1 429");
    const std::size_t health = replies.find(R"({"status":"ok"})");
    const std::size_t other = replies.rfind(R"({"allowed":true)");
    EXPECT_TRUE(allowed < denied && denied < health && health < other && other != std::string::npos) << replies;
}

TEST_F(LateReplyTest, AStoreThatFailsIs503AndNot429) {
    store_.error = StoreError::timeout;
    HttpSession session{shared_};
    send(session, check_for("a"));
    const std::string reply = answer_all(session);
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
    EXPECT_THAT(reply, HasSubstr("Retry-After: 1\r\n"));
    EXPECT_THAT(reply, Not(HasSubstr("RateLimit")));
    EXPECT_THAT(reply, HasSubstr(R"("allowed":false,"rule":"submit","limit":null,"remaining":null,)"
                                 R"("retry_after_ms":1000,"reset_after_ms":null,)"));
    EXPECT_THAT(reply, HasSubstr(R"("limits":[{"rule":"submit","algorithm":"fixed_window","limit":1,"remaining":null,)"
                                 R"("allowed":false,"shadow":false,"banned":false,)"
                                 R"("retry_after_ms":1000,"reset_after_ms":null}])"));
    EXPECT_THAT(reply, HasSubstr(R"("source":"failure_policy")"));
}

TEST_F(LateReplyTest, ByRuleAndPeekAndResetComeLateToo) {
    store_.answers_later = true;
    HttpSession session{shared_};
    const std::string key = R"({"rule":"submit","key":{"team":"a"}})";
    send(session, post("/v1/check", key) + post("/v1/peek", key) + post("/v1/reset", key) + post("/v1/check", key) +
                      post("/v1/check", R"({"rule":"other","key":{}})"));
    const std::string replies = answer_all(session);
    std::vector<std::string> statuses;
    for (std::size_t at = replies.find("HTTP/1.1 "); at != std::string::npos; at = replies.find("HTTP/1.1 ", at + 1)) {
        statuses.push_back(replies.substr(at + 9, 3));
    }
    EXPECT_THAT(statuses, testing::ElementsAre("200", "429", "200", "200", "404")) << replies;
}

TEST_F(LateReplyTest, AStoreThatFailsIsNoAnswerToLeasesAndResets) {
    store_.error = StoreError::unavailable;
    HttpSession session{shared_};
    const std::string lease = R"({"lease":"0000000000000001~00000000000000000000000000000004.61"})";
    send(session, post("/v1/release", lease) + post("/v1/renew", lease) +
                      post("/v1/reset", R"({"rule":"submit","key":{"team":"a"}})"));
    const std::string replies = answer_all(session);
    std::size_t failed = 0;
    const std::string_view reason = R"({"error":"the store failed: unavailable"})";
    for (std::size_t at = replies.find(reason); at != std::string::npos; at = replies.find(reason, at + 1)) ++failed;
    EXPECT_EQ(failed, 3U) << replies;
    EXPECT_THAT(replies, StartsWith("HTTP/1.1 503 "));
    EXPECT_THAT(replies, Not(HasSubstr("HTTP/1.1 200")));
}

TEST_F(LateReplyTest, ChangesOfManySessionsWaitTogether) {
    store_.answers_later = true;
    const std::string lease = R"({"lease":"0000000000000001~00000000000000000000000000000004.61"})";
    std::deque<HttpSession> sessions;
    for (int i = 0; i < 100; ++i) {
        send(sessions.emplace_back(shared_), post("/v1/release", lease));
        send(sessions.emplace_back(shared_), post("/v1/renew", lease));
        send(sessions.emplace_back(shared_), post("/v1/reset", R"({"rule":"submit","key":{"team":"a"}})"));
    }
    for (const HttpSession& session : sessions) EXPECT_TRUE(session.waiting());
    answer();
    for (std::size_t i = 0; i < sessions.size(); ++i) {
        sessions[i].resume();
        const char* flag = i % 3 == 0   ? R"({"released":false})"
                           : i % 3 == 1 ? R"({"renewed":false})"
                                        : R"({"reset":true})";
        EXPECT_THAT(sessions[i].output(), HasSubstr(flag));
    }
}

TEST_F(LateReplyTest, ASessionThatIsGoneMissesNothing) {
    store_.answers_later = true;
    auto session = std::make_unique<HttpSession>(shared_);
    session->on_late_reply([] { FAIL() << "nobody is there"; });
    send(*session, check_for("a"));
    ASSERT_TRUE(session->waiting());
    session.reset();
    answer();
}

TEST_F(LateReplyTest, TheConnectionClosesAfterALateReplyIfItWasAskedTo) {
    store_.answers_later = true;
    HttpSession session{shared_};
    send(session,
         "POST /v1/check HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 28\r\n\r\n"
         R"({"attributes":{"team":"aa"}})");
    EXPECT_FALSE(session.closing());
    EXPECT_THAT(answer_all(session), HasSubstr("Connection: close\r\n"));
    EXPECT_TRUE(session.closing());
}

}  // namespace
}  // namespace stint::inline v0::http
