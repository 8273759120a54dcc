// A rule with `layout: counter` beside services that count with the classic
// script, on one real server.
#include <gtest/gtest.h>

#include <atomic>
#include <charconv>
#include <map>
#include <random>
#include <thread>

#include "redis/crowd.hpp"
#include "redis/until.hpp"
#include "stint/limiter.hpp"
#include "store/redis/command_client.hpp"
#include "support/seed.hpp"

namespace stint::inline v0::testing_redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using store::redis::CommandClient;

constexpr const char* kClassicScript =
    "local count = redis.call('INCR', KEYS[1]) "
    "if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end "
    "if count > tonumber(ARGV[2]) then return 0 end "
    "return 1";

std::string rules(const std::string& limit = "limit: 10, per: 60s") {
    return R"(
version: 1
rules:
  - name: submit
    match: {action: submit}
    key: [team]
    limits: [{algorithm: fixed_window, )" +
           limit + R"(}]
    layout: counter
    redis_key: "rate:{action}:{team}"
  - {name: all, match: {action: submit, also: all}, key: [], limits: [{limit: 5, per: 1m}]}
  - name: other
    match: {action: other}
    key: [team]
    limits: [{algorithm: fixed_window, limit: 3, per: 60s, count_denied: true}]
    layout: counter
    redis_key: "rate:{action}:{team}"
)";
}

class PlainCounterTest : public testing::Test {
protected:
    PlainCounterTest()
        : store_(options_for(server_.port())), limiter_(store_, parse_rules(rules())), client_(connect()) {}

    std::unique_ptr<CommandClient> connect() const {
        return std::move(CommandClient::connect(options_for(server_.port()), seconds{5}).value());
    }
    static bool classic(CommandClient& client, const std::string& team, int window_s = 60, int limit = 10) {
        const std::string key = "rate:submit:" + team;
        const auto reply =
            client.ask({"EVAL", kClassicScript, "1", key, std::to_string(window_s), std::to_string(limit)});
        return (*reply)->integer() == 1;
    }
    Decision check(const std::string& team, std::uint64_t cost = 1) {
        return limiter_.check({{"action", "submit"}, {"team", team}}, {.cost = cost});
    }
    std::string value(const std::string& team) const { return server_.cli("GET rate:submit:" + team); }
    std::int64_t ttl(const std::string& team) const { return ttls(server_).at("rate:submit:" + team); }

    RedisServer server_;
    RedisStore store_;
    Limiter limiter_;
    std::unique_ptr<CommandClient> client_;
};

TEST_F(PlainCounterTest, SharesTheCountWithTheClassicScript) {
    const std::uint64_t seed = test_seed();
    std::mt19937_64 random{seed};
    std::map<std::string, std::uint64_t> counts;
    for (int i = 0; i < 2000; ++i) {
        const std::string team = std::to_string(random() % 97);
        std::uint64_t& count = counts[team];
        if (random() % 2 == 0) {
            ASSERT_EQ(classic(*client_, team), ++count <= 10) << "seed " << seed;  // which counts its denials
            continue;
        }
        const std::uint64_t cost = 1 + random() % 3;
        const Decision decision = check(team, cost);
        const bool allowed = count + cost <= 10;
        if (allowed) count += cost;
        ASSERT_EQ(decision.allowed, allowed) << "seed " << seed;
        ASSERT_EQ(decision.remaining, count < 10 ? 10 - count : 0) << "seed " << seed;
        ASSERT_EQ(decision.source, Source::store);
        if (count > 0) {
            ASSERT_LE(decision.reset_after, seconds{60} + milliseconds{1});
            ASSERT_GT(decision.reset_after, seconds{30});
        }
        ASSERT_EQ(decision.retry_after, allowed ? Duration{0} : decision.reset_after);
    }
    for (const auto& [team, count] : counts) {
        if (count == 0) continue;
        EXPECT_EQ(value(team), std::to_string(count));
        EXPECT_GT(ttl(team), 0);
        EXPECT_LE(ttl(team), 60'000);
    }
}

TEST_F(PlainCounterTest, ExactlyTenOfAHundredPassWhoeverAsks) {
    for (int round = 0; round < 20; ++round) {
        const std::string team = "round" + std::to_string(round);
        std::atomic<int> allowed{0};
        std::vector<std::jthread> callers;
        for (int caller = 0; caller < 20; ++caller) {
            callers.emplace_back([&, caller] {
                const auto client = connect();
                for (int i = 0; i < 5; ++i) {
                    if (caller % 2 == 0 ? check(team).allowed : classic(*client, team)) ++allowed;
                }
            });
        }
        callers.clear();
        ASSERT_EQ(allowed, 10);
    }
}

TEST_F(PlainCounterTest, WhoeverCountsFirstBeginsTheWindow) {
    limiter_.reload(parse_rules(rules("limit: 3, per: 2s")));
    for (const std::string team : {"a", "b"}) {
        EXPECT_TRUE(team == "a" ? check(team).allowed : classic(*client_, team, 2, 3));
        EXPECT_LE(ttl(team), 2000);
        EXPECT_TRUE(check(team).allowed);
        EXPECT_TRUE(classic(*client_, team, 2, 3));
        const Decision denied = check(team);
        EXPECT_FALSE(denied.allowed);
        EXPECT_FALSE(classic(*client_, team, 2, 3));
        EXPECT_EQ(denied.retry_after % milliseconds{1}, Duration{0}) << "whole milliseconds";
        const auto over = std::chrono::steady_clock::now() + denied.retry_after;
        ASSERT_TRUE(until([over] { return std::chrono::steady_clock::now() >= over; }));
        EXPECT_TRUE(classic(*client_, team, 2, 3)) << "the wait is honest";
        EXPECT_EQ(value(team), "1");
    }
}

TEST_F(PlainCounterTest, OneCheckOfSeveralRulesConsumesAllOrNothing) {
    const auto both = [this] { return limiter_.check({{"action", "submit"}, {"team", "a"}, {"also", "all"}}).allowed; };
    for (int i = 0; i < 8; ++i) EXPECT_EQ(both(), i < 5);
    EXPECT_EQ(value("a"), "5") << "the denials of the other rule took nothing";
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(classic(*client_, "a"));
    EXPECT_TRUE(limiter_.reset("all", {}).done);
    EXPECT_FALSE(both());
    EXPECT_EQ(limiter_.peek_rule("all", {})->remaining, 5U);
}

TEST_F(PlainCounterTest, RulesThatComeToOneKeyTakeOneAfterTheOther) {
    limiter_.reload(parse_rules(R"(
version: 1
rules:
  - {name: t, key: [k], layout: counter, redis_key: "r:{k}", limits: [{algorithm: fixed_window, limit: 3, per: 1m}]}
  - {name: u, key: [l], layout: counter, redis_key: "r:{l}", limits: [{algorithm: fixed_window, limit: 3, per: 1m}]}
)"));
    const auto same = [this] { return limiter_.check({{"k", "a"}, {"l", "a"}}); };
    EXPECT_EQ(same().remaining, 1U);
    EXPECT_EQ(server_.cli("GET r:a"), "2");
    EXPECT_GT(ttls(server_).at("r:a"), 0);
    const Decision denied = same();
    EXPECT_FALSE(denied.allowed) << "one is left and two are wanted";
    EXPECT_EQ(denied.source, Source::store);
    EXPECT_GT(denied.retry_after, Duration{0});
    EXPECT_EQ(server_.cli("GET r:a"), "2");
    EXPECT_FALSE(limiter_.peek({{"k", "a"}, {"l", "a"}}).allowed);
    Decision last = limiter_.check({{"k", "a"}});
    EXPECT_TRUE(last.allowed);
    EXPECT_FALSE(limiter_.check({{"l", "a"}}).allowed);
    EXPECT_TRUE(limiter_.refund(last));
    EXPECT_TRUE(limiter_.check({{"l", "a"}}).allowed) << "the denial of the other rule is forgotten too";
}

TEST_F(PlainCounterTest, CountsDenialsWhereTheRuleSaysSo) {
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(limiter_.check({{"action", "other"}, {"team", "a"}}).allowed, i < 3);
    }
    EXPECT_EQ(server_.cli("GET rate:other:a"), "5") << "as the classic script does";
    for (int i = 0; i < 2; ++i) {
        const Decision decision = limiter_.check({{"action", "other"}, {"team", "a"}}, {.cost = kCostMax});
        EXPECT_FALSE(decision.allowed);
        EXPECT_EQ(decision.source, Source::store);
        EXPECT_EQ(server_.cli("GET rate:other:a"), "4294967295") << "where every count stops";
    }
}

TEST_F(PlainCounterTest, LooksRefundsAndResets) {
    Decision decision = check("a", 4);
    EXPECT_EQ(check("a", 0).remaining, 6U);
    EXPECT_EQ(limiter_.peek({{"action", "submit"}, {"team", "a"}}).remaining, 6U);
    EXPECT_TRUE(classic(*client_, "a"));
    EXPECT_TRUE(limiter_.refund(decision));
    EXPECT_EQ(value("a"), "1");
    EXPECT_GT(ttl("a"), 0);
    Decision last = check("b");
    EXPECT_TRUE(limiter_.refund(last));
    EXPECT_EQ(server_.cli("EXISTS rate:submit:b"), "0");
    Decision old = check("c");
    server_.cli("SET rate:submit:c 7 PX 30000");
    (void)limiter_.refund(old);
    EXPECT_EQ(value("c"), "7") << "of another window";
    const std::vector<Attribute> key{{"team", "a"}};
    EXPECT_TRUE(limiter_.reset("submit", key).done);
    EXPECT_EQ(server_.cli("EXISTS rate:submit:a"), "0");
}

TEST_F(PlainCounterTest, AKeyWithoutExpiryGetsOneAndDeniesForAWindowAtMost) {
    limiter_.reload(parse_rules(rules("limit: 10, per: 2s")));
    server_.cli("SET rate:submit:a 10");
    EXPECT_EQ(limiter_.peek({{"action", "submit"}, {"team", "a"}}).reset_after, seconds{2});
    EXPECT_TRUE(check("a", 0).allowed);
    EXPECT_EQ(ttl("a"), -1) << "a look changes nothing";
    EXPECT_FALSE(check("a").allowed);
    EXPECT_GT(ttl("a"), 0);
    EXPECT_LE(ttl("a"), 2000);
    EXPECT_TRUE(until([this] { return check("a").allowed; }));
    EXPECT_EQ(value("a"), "1");
}

TEST_F(PlainCounterTest, WhatIsNoCounterFailsAloneAndStays) {
    for (const char* other :
         {"SET rate:submit:a abc", "SET rate:submit:a -5", "SET rate:submit:a 1e3", "SET rate:submit:a 01",
          "SET rate:submit:a 99999999999999999999", "RPUSH rate:submit:a 1"}) {
        server_.cli("DEL rate:submit:a");
        server_.cli(other);
        const std::string before = server_.cli("DUMP rate:submit:a");
        EXPECT_EQ(check("a").source, Source::local) << other;
        EXPECT_EQ(check("b").source, Source::store);
        EXPECT_EQ(server_.cli("DUMP rate:submit:a"), before);
    }
}

// A name of more than 512 bytes becomes one of stint's own, so that callers cannot fill Redis with names.
TEST_F(PlainCounterTest, AnyBytesAreAKey) {
    for (const std::string& team :
         {std::string{"a b\n{}"}, std::string{"\0\xff", 2}, std::string{}, std::string(3000, 'x')}) {
        for (int i = 0; i < 11; ++i) ASSERT_EQ(check(team).allowed, i < 10);
    }
    const std::string longest = server_.cli(
        "EVAL \"local longest = 0 for _, k in ipairs(redis.call('KEYS', '*')) do longest = math.max(longest, #k) end "
        "return longest\" 0");
    EXPECT_LT(std::stoi(longest), 600);
}

}  // namespace
}  // namespace stint::inline v0::testing_redis
