// What each error, silence and cut of a server comes to, with a scripted
// server, and with a proxy that spoils the replies of a real one.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "redis/asking.hpp"
#include "redis/fake_server.hpp"
#include "redis/until.hpp"

namespace stint::inline v0::testing_redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

const std::string kGrant = "$39\r\n" + store::redis::time_bytes(1) + store::redis::answer_bytes(1, 4) + "\r\n";

/// A store on a server that answers the first calls as told and grants all others.
class FaultsTest : public testing::Test {
protected:
    void serve(std::vector<Reply> first, milliseconds deadline = seconds{5}) {
        first_ = std::move(first);
        server_ = std::make_unique<FakeServer>([this](const Command& command, int) {
            const std::size_t call = calls_++;
            return call < first_.size() ? first_[call] : Reply{granted(command)};
        });
        store_ = std::make_unique<RedisStore>(options_for(server_->port(), deadline));
    }
    Told ask_once() { return ask(*store_, {.key = "a"}); }
    bool recovers(milliseconds within = seconds{5}) {
        return until([this] { return ask_once().error == StoreError::none; }, within);
    }

    std::vector<Reply> first_;
    std::atomic<std::size_t> calls_{0};
    std::unique_ptr<FakeServer> server_;
    std::unique_ptr<RedisStore> store_;
};

TEST_F(FaultsTest, AReplicaIsLeftAndTheCheckIsAskedAgain) {
    serve({{kGrant}, {"-READONLY You can't write against a read only replica.\r\n"}});
    ask_once();
    EXPECT_EQ(ask_once().error, StoreError::none);
    EXPECT_EQ(server_->connections(), 2);
}

TEST_F(FaultsTest, OneThatStaysAReplicaIsNotAskedWithoutAPause) {
    std::vector<Reply> replies(1000, {"-READONLY You can't write against a read only replica.\r\n"});
    serve(std::move(replies));
    const auto start = Clock::now();
    while (Clock::now() - start < milliseconds{500}) {
        const Told told = ask_once();
        ASSERT_EQ(told.error, StoreError::unavailable);
    }
    EXPECT_LT(server_->connections(), 30);
}

TEST_F(FaultsTest, AServerThatCannotServeIsUnavailableAndAskedAgainSoon) {
    for (const char* error : {"-LOADING Redis is loading the dataset in memory\r\n", "-MASTERDOWN Link is down\r\n",
                              "-CLUSTERDOWN The cluster is down\r\n", "-BUSY Redis is busy running a script.\r\n"}) {
        calls_ = 0;
        serve({{error}});
        EXPECT_EQ(ask_once().error, StoreError::unavailable) << error;
        EXPECT_TRUE(recovers(seconds{1})) << error;
    }
}

TEST_F(FaultsTest, ARefusalIsTheChecksAloneAndTheConnectionStays) {
    for (const char* error :
         {"-OOM command not allowed when used memory > 'maxmemory'.\r\n", "-NOPERM this user has no permissions\r\n",
          "-MOVED 866 127.0.0.1:7001\r\n", "-ASK 866 127.0.0.1:7001\r\n", "-ERR whatever\r\n", "$-1\r\n", ":3\r\n",
          "$2\r\nxx\r\n"}) {
        calls_ = 0;
        serve({{error}});
        EXPECT_EQ(ask_once().error, StoreError::refused) << error;
        EXPECT_EQ(ask_once().error, StoreError::none) << error;
        EXPECT_EQ(server_->connections(), 1) << error;
    }
}

TEST_F(FaultsTest, AServerThatWantsAPasswordRefuses) {
    serve({{"-NOAUTH Authentication required.\r\n"}});
    EXPECT_EQ(ask_once().error, StoreError::refused);
    EXPECT_TRUE(recovers());
}

TEST_F(FaultsTest, LostScriptsAreLoadedAndNobodyNotices) {
    serve({{"-NOSCRIPT No matching script. Please use EVAL.\r\n"}});
    EXPECT_EQ(ask_once().error, StoreError::none);
    EXPECT_EQ(server_->connections(), 1);
    EXPECT_EQ(calls_, 2U);
}

TEST_F(FaultsTest, ACutLineIsUnavailableAndSentOnlyOnce) {
    serve({{kGrant}, {.bytes = "$39\r\nab", .cut = true}});
    EXPECT_EQ(ask_once().error, StoreError::none);
    EXPECT_EQ(ask_once().error, StoreError::unavailable);
    EXPECT_EQ(ask_once().error, StoreError::none);
    EXPECT_EQ(calls_, 3U);
}

TEST_F(FaultsTest, AfterAProtocolErrorTheConnectionIsUsedNoMore) {
    serve({{kGrant}, {"?what\r\n"}});
    EXPECT_EQ(ask_once().error, StoreError::none);
    EXPECT_EQ(ask_once().error, StoreError::unavailable);
    EXPECT_EQ(ask_once().error, StoreError::none);
    EXPECT_EQ(server_->connections(), 2);
}

TEST_F(FaultsTest, APushInBetweenAnswersNothing) {
    serve({{">2\r\n$7\r\nmessage\r\n$1\r\nx\r\n" + kGrant}});
    const Told told = ask_once();
    EXPECT_TRUE(told.allowed);
    EXPECT_EQ(told.answer.remaining, 6U);
}

TEST_F(FaultsTest, ASilentServerIsATimeoutWithinTheDeadline) {
    std::vector<Reply> replies(1, {.bytes = "", .after = seconds{60}});
    serve(std::move(replies), milliseconds{50});
    EXPECT_TRUE(recovers());
    calls_ = 0;
    const auto start = Clock::now();
    const Told told = ask_once();
    EXPECT_EQ(told.error, StoreError::timeout);
    EXPECT_LT(Clock::now() - start, milliseconds{550});
    EXPECT_GE(Clock::now() - start, milliseconds{50});
    EXPECT_TRUE(recovers(seconds{2}));
}

TEST_F(FaultsTest, NobodyWaitsLongerThanTheDeadlineForAServerThatAcceptsAndSaysNothing) {
    const FakeServer mute{[](const Command&, int) { return Reply{}; }, Handshake::by_handler};
    RedisStore store{options_for(mute.port(), milliseconds{30})};
    for (int i = 0; i < 20; ++i) {
        const auto start = Clock::now();
        EXPECT_NE(ask(store, {.key = "a"}).error, StoreError::none);
        EXPECT_LT(Clock::now() - start, milliseconds{350});
    }
}

TEST_F(FaultsTest, NobodyListensIsUnavailable) {
    RedisStore store{options_for(free_port())};
    const auto start = Clock::now();
    EXPECT_EQ(ask(store, {.key = "a"}).error, StoreError::unavailable);
    EXPECT_LT(Clock::now() - start, seconds{2});
}

/// A proxy before a real server that does something to the reply of every tenth check.
class ProxyTest : public testing::Test {
protected:
    void spoil(const std::function<Reply(std::string)>& spoil, milliseconds deadline) {
        proxy_ = std::make_unique<FakeServer>([this, spoil](const Command& command, int connection) {
            auto& real = real_[connection];
            if (real == nullptr) real = std::make_unique<PlainClient>(server_.port());
            Command forwarded = command;
            if (command[0] == "EVALSHA") {
                // The proxy answers the loading itself: the text is given each time.
                std::string reply = real->ask(forwarded);
                return ++calls_ % 10 == 0 ? spoil(std::move(reply)) : Reply{std::move(reply)};
            }
            return Reply{real->ask(forwarded)};
        });
        direct_ = std::make_unique<RedisStore>(options_for(server_.port()));
        EXPECT_TRUE(until([this] { return ask(*direct_, {.key = "warm"}).error == StoreError::none; }));
        store_ = std::make_unique<RedisStore>(options_for(proxy_->port(), deadline));
    }

    RedisServer server_;
    std::map<int, std::unique_ptr<PlainClient>> real_;
    std::atomic<int> calls_{0};
    std::unique_ptr<FakeServer> proxy_;
    std::unique_ptr<RedisStore> direct_;
    std::unique_ptr<RedisStore> store_;
};

TEST_F(ProxyTest, ALostReplyIsNeverAskedForAgain) {
    spoil([](std::string) { return Reply{}; }, milliseconds{200});
    int failed = 0;
    std::uint64_t least = 0;
    for (std::uint64_t i = 1; i <= 100; ++i) {
        const Told told = ask(*store_, {.key = "a", .limits = {kMany}});
        if (told.error != StoreError::none) {
            ++failed;
            EXPECT_TRUE(until([this] { return used(*store_, {.key = "other", .limits = {kMany}}) == 0; }));
            continue;
        }
        const std::uint64_t now_used = kMany.limit() - told.answer.remaining;
        EXPECT_GT(now_used, least);
        EXPECT_LE(now_used, i);
        least = now_used;
    }
    EXPECT_LE(used(*direct_, {.key = "a", .limits = {kMany}}), 100U);
    EXPECT_GE(failed, 5);
}

TEST_F(ProxyTest, ALateReplyAnswersNobodyElse) {
    // Four callers, each with keys of its own, whose counts show any answer that was another's.
    spoil([](std::string reply) { return Reply{.bytes = std::move(reply), .after = milliseconds{150}}; },
          milliseconds{100});
    std::atomic<int> failed{0};
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller) {
        callers.emplace_back([this, caller, &failed] {
            std::uint64_t least = 0;
            for (std::uint64_t i = 1; i <= 50; ++i) {
                const AskSpec spec{.key = std::to_string(caller),
                                   .limits = {kMany},
                                   .cost = static_cast<std::uint64_t>(caller) * 1000 + 1};
                const Told told = ask(*store_, spec);
                if (told.error != StoreError::none) {
                    ++failed;
                    EXPECT_TRUE(
                        until([this] { return ask(*store_, {.key = "other"}, true).error == StoreError::none; }));
                    continue;
                }
                const std::uint64_t now_used = kMany.limit() - told.answer.remaining;
                EXPECT_EQ(now_used % spec.cost, 0U);
                EXPECT_GT(now_used, least);
                EXPECT_LE(now_used, i * spec.cost);
                least = now_used;
            }
        });
    }
    callers.clear();
    for (int caller = 0; caller < 4; ++caller) {
        const std::uint64_t cost = static_cast<std::uint64_t>(caller) * 1000 + 1;
        EXPECT_LE(used(*direct_, {.key = std::to_string(caller), .limits = {kMany}}), 50 * cost);
    }
    EXPECT_GT(failed, 0);
}

TEST_F(ProxyTest, ACutConnectionLosesOnlyWhatWasOnIt) {
    spoil([](std::string) { return Reply{.bytes = "", .cut = true}; }, seconds{5});
    int failed = 0;
    for (int i = 0; i < 100; ++i) {
        const Told told = ask(*store_, {.key = "a", .limits = {kMany}});
        if (told.error == StoreError::none) continue;
        ++failed;
        EXPECT_EQ(told.error, StoreError::unavailable);
        EXPECT_TRUE(until([this] { return used(*store_, {.key = "other", .limits = {kMany}}) == 0; }));
    }
    EXPECT_LE(used(*direct_, {.key = "a", .limits = {kMany}}), 100U);
    EXPECT_GE(failed, 5);
}

}  // namespace
}  // namespace stint::inline v0::testing_redis
