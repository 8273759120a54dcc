#include "store/redis/command_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "base/log_lines.hpp"
#include "redis/redis_cluster.hpp"
#include "redis/redis_server.hpp"
#include "redis/until.hpp"
#include "stint/redis_store.hpp"

namespace stint::inline v0::store::redis {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing_redis::RedisServer;

constexpr std::chrono::milliseconds kPatient{10'000};

RedisOptions options_of(const RedisServer& server) {
    RedisOptions options;
    options.addresses = {{"127.0.0.1", server.port()}};
    return options;
}

TEST(CommandClient, AsksOneCommandAfterTheOther) {
    const RedisServer server;
    RedisOptions options = options_of(server);
    options.database = 3;
    const auto client = CommandClient::connect(options, kPatient);
    ASSERT_TRUE(client) << client.error();
    const std::string large(100'000, 'x');
    const auto set = (*client)->ask({"SET", "k", large});
    ASSERT_TRUE(set) << set.error();
    EXPECT_EQ((*set)->text(), "OK");
    const auto got = (*client)->ask({"GET", "k"});
    ASSERT_TRUE(got) << got.error();
    EXPECT_EQ((*got)->text(), large);
    EXPECT_EQ(server.cli("-n 3 strlen k"), "100000");
}

TEST(CommandClient, AnErrorReplyEndsNothing) {
    const RedisServer server;
    const auto client = CommandClient::connect(options_of(server), kPatient);
    ASSERT_TRUE(client) << client.error();
    const auto wrong = (*client)->ask({"INCR"});
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error(), StartsWith("ERR wrong number of arguments"));
    EXPECT_TRUE((*client)->ask({"TIME"}));
}

TEST(CommandClient, SignsInAsAUser) {
    const RedisServer server;
    ASSERT_EQ(server.cli("acl setuser ann on '>right' '~*' +get"), "OK");
    RedisOptions options = options_of(server);
    options.user = "ann";
    options.password = "right";
    const auto client = CommandClient::connect(options, kPatient);
    ASSERT_TRUE(client) << client.error();
    EXPECT_TRUE((*client)->ask({"GET", "k"}));
    const auto refused = (*client)->ask({"SET", "k", "v"});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error(), StartsWith("NOPERM"));
    options.password = "wrong";
    const auto other = CommandClient::connect(options, kPatient);
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error(), HasSubstr(": WRONGPASS"));
}

// A server that does not know a command repeats its arguments.
TEST(CommandClient, NoErrorShowsThePassword) {
    const RedisServer server{{"--rename-command", "AUTH", ""}};
    RedisOptions options = options_of(server);
    options.password = "s3cret-word";
    const auto client = CommandClient::connect(options, kPatient);
    ASSERT_FALSE(client);
    EXPECT_THAT(client.error(), HasSubstr("unknown command 'AUTH'"));
    EXPECT_THAT(client.error(), testing::Not(HasSubstr("s3cret")));

    LogLines log;
    {
        options.log = [&log](const std::string& line) { log.add(line); };
        const RedisStore store{options};
        EXPECT_TRUE(testing_redis::until([&log] { return !log.lines().empty(); }));
    }
    for (const std::string& line : log.lines()) EXPECT_THAT(line, testing::Not(HasSubstr("s3cret")));
}

TEST(CommandClient, TakesTheFirstAddressThatAnswers) {
    const RedisServer server;
    RedisOptions options = options_of(server);
    options.addresses.insert(options.addresses.begin(), {"127.0.0.1", testing_redis::free_port()});
    EXPECT_TRUE(CommandClient::connect(options, kPatient));
    options.addresses.pop_back();
    const auto none = CommandClient::connect(options, kPatient);
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error(), HasSubstr(": cannot connect: Connection refused"));
}

TEST(CommandClient, WaitsNoLongerThanItsTimeout) {
    const RedisServer server;
    const auto client = CommandClient::connect(options_of(server), std::chrono::milliseconds{1000});
    ASSERT_TRUE(client) << client.error();
    server.signal(SIGSTOP);
    const auto silent = (*client)->ask({"TIME"});
    server.signal(SIGCONT);
    ASSERT_FALSE(silent);
    EXPECT_EQ(silent.error(), "no answer within 1s");
    const auto after = (*client)->ask({"TIME"});
    ASSERT_FALSE(after);
    EXPECT_EQ(after.error(), "the connection is lost");
}

TEST(CommandClient, SaysThatTheConnectionIsLost) {
    RedisServer server;
    const auto client = CommandClient::connect(options_of(server), kPatient);
    ASSERT_TRUE(client) << client.error();
    server.kill();
    EXPECT_FALSE((*client)->ask({"TIME"}));
}

TEST(CommandClient, AsksThePrimaryThatSentinelsName) {
    const testing_redis::SentinelGroup group;
    RedisOptions options;
    options.topology = Topology::sentinel;
    options.addresses = {{"127.0.0.1", testing_redis::free_port()}};
    options.primary_name = "main";
    EXPECT_FALSE(CommandClient::connect(options, kPatient));
    for (const auto& sentinel : group.sentinels) options.addresses.push_back({"127.0.0.1", sentinel.port()});
    const auto client = CommandClient::connect(options, kPatient);
    ASSERT_TRUE(client) << client.error();
    ASSERT_TRUE((*client)->ask({"SET", "k", "v"}));
    EXPECT_EQ(group.primary.cli("GET k"), "v");
    options.primary_name = "other";
    const auto unknown = CommandClient::connect(options, kPatient);
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error(), HasSubstr("knows no other"));
}

TEST(CommandClient, GoesWhereAClusterSaysThatTheKeyIs) {
    testing_redis::RedisCluster cluster;
    RedisOptions options = options_of(cluster.node(0));
    options.topology = Topology::cluster;
    const auto client = CommandClient::connect(options, kPatient);
    ASSERT_TRUE(client) << client.error();
    for (int i = 0; i < 20; ++i) {
        const std::string key = "k" + std::to_string(i);
        const auto set = (*client)->ask({"SET", key, key});
        ASSERT_TRUE(set) << set.error();
        EXPECT_EQ(cluster.node(cluster.owner_of(cluster.slot_of(key))).cli("GET " + key), key);
    }
    // A slot on its way to another node answers ASK for what it does not hold.
    const std::uint16_t slot = cluster.slot_of("gone");
    const std::size_t from = cluster.owner_of(slot);
    const std::size_t to = (from + 1) % 3;
    cluster.node(to).cli("CLUSTER SETSLOT " + std::to_string(slot) + " IMPORTING " + cluster.id_of(from));
    cluster.node(from).cli("CLUSTER SETSLOT " + std::to_string(slot) + " MIGRATING " + cluster.id_of(to));
    const auto set = (*client)->ask({"SET", "gone", "there"});
    ASSERT_TRUE(set) << set.error();
    const auto got = (*client)->ask({"GET", "gone"});
    ASSERT_TRUE(got) << got.error();
    EXPECT_EQ((*got)->text(), "there");
}

}  // namespace
}  // namespace stint::inline v0::store::redis
