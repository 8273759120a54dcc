#include "store/redis/connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "resp/writer.hpp"
#include "store/redis/testing_check.hpp"

namespace stint::inline v0::store::redis {
namespace {

/// A server on paper: takes what the connection writes and says what a test has it say.
class ConnectionTest : public testing::Test {
protected:
    void make(const SignIn& sign_in = {}, bool redirects = false) {
        connection_ = std::make_unique<Connection>(sign_in, redirects);
    }
    /// Returns: the first words of the commands written since.
    std::string written() {
        resp::Reader reader{{.input = resp::Input::commands}};
        std::string bytes = std::exchange(connection_->output(), {});
        std::ranges::copy(bytes, reader.prepare(bytes.size()).begin());
        reader.commit(bytes.size());
        std::string words;
        for (auto value = reader.next(); value && *value != nullptr; value = reader.next()) {
            words += std::string{words.empty() ? "" : " "} + std::string{(*value)->begin()->text()};
        }
        return words;
    }
    Received say(std::string_view bytes) {
        std::ranges::copy(bytes, connection_->prepare(bytes.size()).begin());
        return connection_->received(bytes.size());
    }
    void say_loaded() {
        for (std::size_t i = 0; i < kScripts; ++i) (void)say("+sha\r\n");
    }
    void make_ready(bool redirects = false) {
        make({}, redirects);
        say_loaded();
        ASSERT_EQ(connection_->state(), Connection::State::ready);
        connection_->output().clear();
    }
    TestCheck& send(const char* key, Clock::time_point deadline = Clock::now() + std::chrono::hours{1}) {
        TestCheck& check = checks_.emplace_back(AskSpec{.key = key});
        JobQueue queue;
        queue.push_back(check.job(deadline));
        connection_->send(std::move(make_calls(queue, 1)[0]));
        return check;
    }
    static std::string reply(std::uint32_t granted, std::uint64_t used) {
        std::string out;
        resp::Writer{out}.bulk_string(time_bytes(1) + answer_bytes(granted, used));
        return out;
    }
    void end(std::vector<JobPtr> jobs) {
        for (const JobPtr& job : jobs) job->finish(StoreError::unavailable);
    }

    std::deque<TestCheck> checks_;
    std::unique_ptr<Connection> connection_;
};

TEST_F(ConnectionTest, SignsInAndLoadsTheScriptsBeforeItIsReady) {
    make({.user = "u", .password = "p", .database = 3, .primary_only = true});
    EXPECT_EQ(written(), "AUTH SELECT ROLE SCRIPT SCRIPT SCRIPT SCRIPT SCRIPT SCRIPT SCRIPT SCRIPT");
    (void)say("+OK\r\n+OK\r\n*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
    EXPECT_EQ(connection_->state(), Connection::State::starting);
    say_loaded();
    EXPECT_EQ(connection_->state(), Connection::State::ready);
}

TEST_F(ConnectionTest, AWrongPasswordEndsIt) {
    make({.password = "p"});
    (void)say("-WRONGPASS invalid username-password pair or user is disabled.\r\n");
    EXPECT_EQ(connection_->state(), Connection::State::broken);
    EXPECT_TRUE(connection_->error().starts_with("WRONGPASS"));
}

TEST_F(ConnectionTest, AReplicaIsNoPrimary) {
    make({.primary_only = true});
    (void)say("*5\r\n$5\r\nslave\r\n$9\r\n127.0.0.1\r\n:6379\r\n$9\r\nconnected\r\n:1\r\n");
    EXPECT_EQ(connection_->state(), Connection::State::broken);
}

TEST_F(ConnectionTest, AServerThatLoadsItsDataIsLeft) {
    make();
    (void)say("-LOADING Redis is loading the dataset in memory\r\n");
    EXPECT_EQ(connection_->state(), Connection::State::broken);
}

TEST_F(ConnectionTest, AUserWithoutScriptCallsWhatAnotherLoaded) {
    make();
    for (std::size_t i = 0; i < kScripts; ++i) (void)say("-NOPERM User u has no permissions to run 'script|load'\r\n");
    ASSERT_EQ(connection_->state(), Connection::State::ready);
    TestCheck& check = send("a");
    const Received received = say("-NOSCRIPT No matching script.\r\n");
    EXPECT_EQ(check.check.error, StoreError::refused);  // nothing that it could do
    EXPECT_THAT(received.refusal.value_or(""), testing::HasSubstr("`stint scripts load`"));
    // Another loads them: the connection goes on with the names that it knew all along.
    (void)written();
    TestCheck& next = send("a");
    EXPECT_EQ(written(), "EVALSHA");
    EXPECT_FALSE(say(reply(1, 1)).refusal);
    EXPECT_TRUE(next.check.allowed);
}

TEST_F(ConnectionTest, RepliesAnswerCallsInTheirOrder) {
    make_ready();
    TestCheck& first = send("a");
    TestCheck& second = send("b");
    EXPECT_EQ(written(), "EVALSHA EVALSHA");
    EXPECT_EQ(connection_->in_flight(), 2U);
    EXPECT_TRUE(say(reply(1, 1)).served);
    EXPECT_TRUE(first.check.allowed);
    EXPECT_FALSE(second.done());
    (void)say(reply(0, 10));
    EXPECT_TRUE(second.done());
    EXPECT_FALSE(second.check.allowed);
}

TEST_F(ConnectionTest, ALateReplyIsDroppedAndAnswersNothingElse) {
    make_ready();
    const auto now = Clock::now();
    TestCheck& first = send("a", now + std::chrono::milliseconds{20});
    TestCheck& second = send("a", now + std::chrono::milliseconds{30});
    EXPECT_EQ(connection_->expire(now + std::chrono::milliseconds{20}), now + std::chrono::milliseconds{30});
    EXPECT_EQ(first.check.error, StoreError::timeout);
    EXPECT_EQ(connection_->in_flight(), 2U);
    (void)say(reply(1, 1));
    EXPECT_FALSE(second.done());
    EXPECT_EQ(first.check.error, StoreError::timeout);
    (void)say(reply(1, 2));
    EXPECT_EQ(second.answer().remaining, 8U);
}

TEST_F(ConnectionTest, LostScriptsAreLoadedOnceAndAllIsSentAgain) {
    make_ready();
    send("a");
    send("b");
    (void)written();
    Received received = say("-NOSCRIPT No matching script.\r\n-NOSCRIPT No matching script.\r\n");
    ASSERT_EQ(received.again.size(), 2U);
    EXPECT_EQ(received.again[0]->check, &checks_[0].check);
    EXPECT_EQ(connection_->state(), Connection::State::ready);
    EXPECT_EQ(written(), "SCRIPT SCRIPT SCRIPT SCRIPT SCRIPT SCRIPT SCRIPT SCRIPT");
    JobQueue queue;
    queue.put_back(std::move(received.again));
    connection_->send(std::move(make_calls(queue, 1)[0]));
    say_loaded();
    std::string both;
    resp::Writer{both}.bulk_string(time_bytes(1) + answer_bytes(1, 1) + answer_bytes(1, 2));
    (void)say(both);
    EXPECT_EQ(checks_[0].answer().remaining, 9U);
    EXPECT_EQ(checks_[1].answer().remaining, 8U);
}

TEST_F(ConnectionTest, AServerThatKeepsForgettingItsScriptsIsNotAskedForEver) {
    make_ready();
    TestCheck& check = send("a");
    int rounds = 0;
    for (; !check.done() && rounds < 100; ++rounds) {
        Received received = say("-NOSCRIPT No matching script.\r\n");
        say_loaded();
        if (received.again.empty()) break;
        JobQueue queue;
        queue.put_back(std::move(received.again));
        connection_->send(std::move(make_calls(queue, 1)[0]));
    }
    EXPECT_EQ(check.check.error, StoreError::unavailable);
    EXPECT_LT(rounds, 20);
}

TEST_F(ConnectionTest, ReadonlyGivesTheJobsBackAndLeavesOnceAllIsAnswered) {
    make_ready();
    send("a");
    TestCheck& second = send("b");
    Received received = say("-READONLY You can't write against a read only replica.\r\n");
    ASSERT_EQ(received.redirected.size(), 1U);
    EXPECT_EQ(received.redirected[0].remedy, Remedy::reconnect);
    EXPECT_FALSE(checks_[0].done());
    EXPECT_EQ(connection_->state(), Connection::State::leaving);
    (void)say(reply(0, 10));
    EXPECT_TRUE(second.done());
    EXPECT_EQ(connection_->state(), Connection::State::broken);
    EXPECT_FALSE(connection_->cannot_serve());
    end(std::move(received.redirected[0].jobs));
}

TEST_F(ConnectionTest, AServerThatCannotServeFailsItsChecksAndIsLeft) {
    for (const char* error : {"-LOADING x\r\n", "-MASTERDOWN x\r\n", "-BUSY x\r\n", "-CLUSTERDOWN x\r\n"}) {
        make_ready();
        TestCheck& check = send("a");
        const Received received = say(error);
        EXPECT_EQ(check.check.error, StoreError::unavailable) << error;
        EXPECT_EQ(connection_->state(), Connection::State::broken) << error;
        EXPECT_TRUE(connection_->cannot_serve()) << error;
        EXPECT_FALSE(received.served);
    }
}

TEST_F(ConnectionTest, ARefusalFailsItsChecksAndTheConnectionGoesOn) {
    for (const char* error : {"-OOM command not allowed\r\n", "-NOPERM x\r\n", "$-1\r\n", ":1\r\n", "*0\r\n"}) {
        make_ready();
        TestCheck& refused = send("a");
        TestCheck& next = send("a");
        (void)say(error + reply(1, 1));
        EXPECT_EQ(refused.check.error, StoreError::refused) << error;
        EXPECT_EQ(next.check.error, StoreError::none) << error;
        EXPECT_EQ(connection_->state(), Connection::State::ready) << error;
    }
}

TEST_F(ConnectionTest, RedirectionsAreGivenBackIfSomebodyFollowsThem) {
    make_ready(true);
    send("a");
    send("b");
    send("c");
    Received received = say("-MOVED 866 127.0.0.1:7001\r\n-ASK 867 :7002\r\n-TRYAGAIN x\r\n");
    ASSERT_EQ(received.redirected.size(), 3U);
    EXPECT_EQ(received.redirected[0].remedy, Remedy::moved);
    EXPECT_EQ(received.redirected[0].redirect.to.port, 7001);
    EXPECT_EQ(received.redirected[1].remedy, Remedy::ask);
    EXPECT_EQ(received.redirected[2].remedy, Remedy::try_again);
    for (Redirected& redirected : received.redirected) end(std::move(redirected.jobs));
}

TEST_F(ConnectionTest, ElseTheyAreRefusals) {
    make_ready(false);
    for (const char* error : {"-MOVED 866 127.0.0.1:7001\r\n", "-ASK 866 127.0.0.1:7001\r\n"}) {
        TestCheck& check = send("a");
        (void)say(error);
        EXPECT_EQ(check.check.error, StoreError::refused) << error;
    }
}

TEST_F(ConnectionTest, AskingIsAnsweredBeforeTheCall) {
    make_ready(true);
    TestCheck& check = checks_.emplace_back(AskSpec{.key = "a"});
    JobQueue queue;
    JobPtr job = check.job();
    job->asking = true;
    queue.push_back(std::move(job));
    connection_->send(std::move(make_calls(queue, 1)[0]));
    EXPECT_EQ(written(), "ASKING EVALSHA");
    (void)say("+OK\r\n");
    EXPECT_FALSE(check.done());
    (void)say(reply(1, 1));
    EXPECT_TRUE(check.check.allowed);
}

TEST_F(ConnectionTest, APushInBetweenAnswersNothing) {
    make_ready();
    TestCheck& check = send("a");
    (void)say(">2\r\n$10\r\ninvalidate\r\n*0\r\n");
    EXPECT_FALSE(check.done());
    (void)say(reply(1, 1));
    EXPECT_TRUE(check.check.allowed);
}

TEST_F(ConnectionTest, AfterAProtocolErrorNothingIsReadAnyMore) {
    make_ready();
    TestCheck& check = send("a");
    (void)say("!?\r\n" + reply(1, 1));
    EXPECT_EQ(connection_->state(), Connection::State::broken);
    EXPECT_FALSE(check.done());
    connection_->fail_all(StoreError::unavailable);
    EXPECT_EQ(check.check.error, StoreError::unavailable);
}

TEST_F(ConnectionTest, AReplyToNothingIsAProtocolError) {
    make_ready();
    (void)say("+OK\r\n");
    EXPECT_EQ(connection_->state(), Connection::State::broken);
}

TEST_F(ConnectionTest, BytesMayArriveOneByOne) {
    make_ready();
    TestCheck& check = send("a");
    for (const char byte : reply(1, 4)) {
        EXPECT_FALSE(check.done());
        (void)say({&byte, 1});
    }
    EXPECT_EQ(check.answer().remaining, 6U);
}

}  // namespace
}  // namespace stint::inline v0::store::redis
