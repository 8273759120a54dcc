// A password that changes while stint runs.
#include <gtest/gtest.h>

#include <fstream>
#include <mutex>

#include "redis/asking.hpp"
#include "redis/fake_server.hpp"
#include "redis/until.hpp"

namespace stint::testing_redis {
namespace {

class PasswordTest : public testing::Test {
protected:
    void write(const std::string& password) const { std::ofstream{file_} << password << '\n'; }
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
    std::size_t complaints = 0;
    for (const std::string& line : log()) complaints += line.find("password_file: ") != std::string::npos ? 1U : 0U;
    EXPECT_EQ(complaints, 1U);
}

TEST_F(PasswordTest, OfTheSentinelsIsReadAgainToo) {
    write("old");
    std::vector<std::string> given;
    const FakeServer sentinel{[this, &given](const Command& command, int) {
                                  const std::lock_guard lock{mutex_};
                                  if (command[0] == "AUTH") given.push_back(command.back());
                                  return Reply{"-WRONGPASS no\r\n"};
                              },
                              Handshake::by_handler};
    const auto was_given = [this, &given](const std::string& password) {
        return until([&] {
            const std::lock_guard lock{mutex_};
            return !given.empty() && given.back() == password;
        });
    };
    RedisOptions options = this->options();
    options.topology = Topology::sentinel;
    options.addresses = {{"127.0.0.1", sentinel.port()}};
    options.primary_name = "main";
    std::swap(options.sentinel_password_file, options.password_file);
    const RedisStore store{options};
    EXPECT_TRUE(was_given("old"));
    write("new");
    EXPECT_TRUE(was_given("new"));
}

}  // namespace
}  // namespace stint::testing_redis
