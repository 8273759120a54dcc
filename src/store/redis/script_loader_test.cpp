#include "store/redis/script_loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "redis/asking.hpp"
#include "redis/redis_cluster.hpp"
#include "redis/redis_server.hpp"
#include "redis/until.hpp"
#include "store/redis/scripts.hpp"

namespace stint::inline v0::store::redis {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAreArray;
using testing_redis::RedisCluster;
using testing_redis::RedisServer;
using testing_redis::SentinelGroup;

constexpr std::chrono::milliseconds kPatient{10'000};

/// Returns: how many of the scripts a server has.
std::size_t scripts_of(const RedisServer& server) {
    std::string command = "SCRIPT EXISTS";
    for (std::size_t i = 0; i < kScripts; ++i) command += " " + script_sha(static_cast<ScriptId>(i));
    const std::string printed = server.cli(command);
    return static_cast<std::size_t>(std::count(printed.begin(), printed.end(), '1'));
}

std::vector<std::uint16_t> ports_of(const std::vector<LoadedAt>& loaded) {
    std::vector<std::uint16_t> ports;
    for (const LoadedAt& at : loaded) {
        EXPECT_TRUE(at.done) << at.done.error();
        ports.push_back(at.server.port);
    }
    return ports;
}

TEST(ScriptLoader, AUserWithNothingButScriptLoadLoadsAll) {
    const RedisServer server;
    EXPECT_EQ(server.cli("ACL SETUSER loader on '>secret' -@all '+script|load'"), "OK");
    RedisOptions options = testing_redis::options_for(server.port());
    options.user = "loader";
    options.password = "secret";
    options.database = 3;
    const auto loaded = load_scripts(options, kPatient);
    ASSERT_TRUE(loaded) << loaded.error();
    EXPECT_EQ(ports_of(*loaded), std::vector{server.port()});
    EXPECT_EQ(scripts_of(server), kScripts);
}

TEST(ScriptLoader, WhoMayNotIsToldWhere) {
    const RedisServer server;
    server.cli("ACL SETUSER ann on '>secret' -@all +time");
    RedisOptions options = testing_redis::options_for(server.port());
    options.user = "ann";
    options.password = "secret";
    const auto loaded = load_scripts(options, kPatient);
    ASSERT_TRUE(loaded) << loaded.error();
    ASSERT_EQ(loaded->size(), 1U);
    EXPECT_THAT(loaded->front().done.error(), HasSubstr(std::to_string(server.port()) + ": NOPERM"));
    EXPECT_EQ(scripts_of(server), 0U);
}

TEST(ScriptLoader, AllNodesOfAClusterAndTheirReplicasHaveThem) {
    RedisCluster cluster;
    // Nodes name a replica once it has something of its primary.
    for (std::size_t i = 0; i < 3; ++i) {
        for (int key = 0; cluster.node(i).cli("SET k" + std::to_string(key) + " v") != "OK"; ++key) {
            ASSERT_LT(key, 1000);
        }
    }
    RedisOptions options = testing_redis::options_for(cluster.node(1).port());
    options.topology = Topology::cluster;
    Result<std::vector<LoadedAt>> loaded;
    EXPECT_TRUE(
        testing_redis::until([&] { return (loaded = load_scripts(options, kPatient)) && loaded->size() == 6; }));
    ASSERT_TRUE(loaded) << loaded.error();
    std::vector<std::uint16_t> ports;
    for (std::size_t i = 0; i < 6; ++i) {
        ports.push_back(cluster.node(i).port());
        EXPECT_EQ(scripts_of(cluster.node(i)), kScripts) << i;
    }
    EXPECT_THAT(ports_of(*loaded), UnorderedElementsAreArray(ports));
}

TEST(ScriptLoader, ThePrimaryOfSentinelsAndItsReplicaHaveThem) {
    SentinelGroup group;
    RedisOptions options;
    options.topology = Topology::sentinel;
    options.primary_name = "main";
    options.addresses = {{"127.0.0.1", testing_redis::free_port()}};
    EXPECT_FALSE(load_scripts(options, kPatient));
    for (const auto& sentinel : group.sentinels) options.addresses.push_back({"127.0.0.1", sentinel.port()});
    auto loaded = load_scripts(options, kPatient);
    ASSERT_TRUE(loaded) << loaded.error();
    EXPECT_EQ(ports_of(*loaded), (std::vector{group.primary.port(), group.replica.port()}));
    EXPECT_EQ(scripts_of(group.primary), kScripts);
    EXPECT_EQ(scripts_of(group.replica), kScripts);
    // One that is gone is said to be, and does not keep them from the other.
    group.replica.kill();
    group.primary.cli("SCRIPT FLUSH");
    loaded = load_scripts(options, kPatient);
    ASSERT_TRUE(loaded) << loaded.error();
    ASSERT_EQ(loaded->size(), 2U);
    EXPECT_TRUE((*loaded)[0].done);
    EXPECT_THAT((*loaded)[1].done.error(), HasSubstr("cannot connect"));
    EXPECT_EQ(scripts_of(group.primary), kScripts);
}

}  // namespace
}  // namespace stint::inline v0::store::redis
