// A password that changes while stint runs.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "redis/asking.hpp"
#include "redis/fake_server.hpp"
#include "redis/until.hpp"

namespace stint::inline v0::testing_redis {
namespace {

class PasswordTest : public testing::Test {
protected:
    /// At once: a file that is empty for a moment could not be read then.
    void write(const std::string& password) const {
        const std::filesystem::path other = server_.folder() / "password.new";
        std::ofstream{other} << password << '\n';
        std::filesystem::rename(other, file_);
    }
    [[nodiscard]] RedisOptions options() {
        RedisOptions options = parse_redis_url("redis://127.0.0.1:" + std::to_string(server_.port()) +
                                               "?deadline=5s&password_file=" + file_.string());
        options.log = [this](const std::string& line) {
            const std::lock_guard lock{mutex_};
            log_.push_back(line);
        };
        return options;
    }
    std::vector<std::string> log() {
        const std::lock_guard lock{mutex_};
        return log_;
    }
    std::size_t lines_with(const std::string& text) {
        std::size_t found = 0;
        for (const std::string& line : log()) found += line.find(text) != std::string::npos ? 1U : 0U;
        return found;
    }
    static bool serves(Store& store) {
        return until([&store] { return ask(store, {.key = "a"}, true).error == StoreError::none; });
    }
    void drop_connections(const std::string& password) const {
        EXPECT_NE(server_.cli("--no-auth-warning -a " + password + " CLIENT KILL TYPE normal"), "0");
    }

    RedisServer server_{{"--requirepass", "old"}};
    std::filesystem::path file_ = server_.folder() / "password";
    std::mutex mutex_;
    std::vector<std::string> log_;
};

TEST_F(PasswordTest, IsReadAgainForTheNextConnection) {
    write("old");
    RedisStore store{options()};
    ASSERT_TRUE(serves(store));
    EXPECT_EQ(server_.cli("--no-auth-warning -a old CONFIG SET requirepass new"), "OK");
    drop_connections("new");
    EXPECT_TRUE(until([&store] { return ask(store, {.key = "a"}, true).error == StoreError::unavailable; }));
    write("new");
    EXPECT_TRUE(serves(store));
}

TEST_F(PasswordTest, IsTheLastOneWhileItsFileCannotBeRead) {
    write("old");
    RedisStore store{options()};
    ASSERT_TRUE(serves(store));
    std::filesystem::remove(file_);
    for (int i = 0; i < 3; ++i) {
        drop_connections("old");
        EXPECT_TRUE(serves(store));
    }
    EXPECT_EQ(lines_with("password_file: "), 1U);
    EXPECT_EQ(lines_with("cannot be read; the last password is used"), 1U);
    write("old");
    drop_connections("old");
    EXPECT_TRUE(serves(store));
    EXPECT_EQ(lines_with("password_file: can be read again"), 1U);
}

/// A server of everybody's, which keeps no connection and notes what each first asks, and the password it came with.
class RotationTest : public PasswordTest {
protected:
    RotationTest() { write("old"); }
    [[nodiscard]] RedisOptions options(Topology topology) {
        RedisOptions options = PasswordTest::options();
        options.topology = topology;
        options.addresses = {{"127.0.0.1", fake_.port()}};
        options.primary_name = "main";
        return options;
    }
    Reply answer(const Command& command, int connection) {
        const std::lock_guard lock{mutex_};
        if (command[0] == "AUTH") {
            signed_in_[connection] = command.back();
            return {"+OK\r\n"};
        }
        ++asked_[command[0]][signed_in_[connection]];
        if (command[0] != "CLUSTER") return {"-ERR not now\r\n", std::chrono::milliseconds{0}, true};
        const std::string port = std::to_string(fake_.port());
        return {"*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:" + port + "\r\n"};
    }
    /// Returns: how many connections with this password began with this command.
    int asked(const std::string& command, const std::string& password) {
        const std::lock_guard lock{mutex_};
        return asked_[command][password];
    }
    /// Follows a password that changes, and then cannot be read.
    void expect_rotation(const std::vector<std::string>& commands, const std::string& option) {
        const auto are_asked_with = [&](const std::string& password) {
            for (const std::string& command : commands) {
                const int before = asked(command, password);
                EXPECT_TRUE(until([&] { return asked(command, password) >= before + 2; })) << command << password;
            }
        };
        are_asked_with("old");
        write("new");
        are_asked_with("new");
        std::filesystem::remove(file_);
        EXPECT_TRUE(until([&] { return lines_with(option + ": ") == 1; }));
        std::vector<int> before;
        for (const std::string& command : commands) before.push_back(asked(command, "old"));
        are_asked_with("new");
        for (std::size_t i = 0; i < commands.size(); ++i) EXPECT_EQ(asked(commands[i], "old"), before[i]);
        EXPECT_EQ(lines_with(option + ": "), 1U);
    }

    std::map<int, std::string> signed_in_;
    std::map<std::string, std::map<std::string, int>> asked_;
    FakeServer fake_{[this](const Command& command, int connection) { return answer(command, connection); },
                     Handshake::by_handler};
};

TEST_F(RotationTest, SentinelsAreAskedWithTheLastThatTheFileHeld) {
    RedisOptions options = this->options(Topology::sentinel);
    std::swap(options.sentinel_password, options.password);
    std::swap(options.sentinel_password_file, options.password_file);
    const RedisStore store{options};
    expect_rotation({"SENTINEL"}, "sentinel_password_file");
}

TEST_F(RotationTest, AClustersNodesAreAskedWithTheLastThatTheFileHeld) {
    const RedisStore store{options(Topology::cluster)};
    expect_rotation({"CLUSTER", "SCRIPT"}, "password_file");
}

}  // namespace
}  // namespace stint::inline v0::testing_redis
