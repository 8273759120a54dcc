// What redirections of a cluster come to, with two scripted nodes.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>

#include "redis/asking.hpp"
#include "redis/fake_server.hpp"
#include "redis/until.hpp"

namespace stint::inline v0::testing_redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

/// Two nodes; the first says that it has all slots, and does what a test tells it.
class ClusterFaultsTest : public testing::Test {
protected:
    using Answer = std::function<Reply(const Command&)>;

    ClusterFaultsTest() {
        first_port_ = first_.port();
        second_port_ = second_.port();
        options_ = options_for(first_.port());
        options_.topology = Topology::cluster;
    }
    void make() { store_ = std::make_unique<RedisStore>(options_); }
    Told ask_once() { return ask(*store_, {.key = "a"}); }
    [[nodiscard]] std::string to_second(const char* code) const {
        return "-" + std::string{code} + " 42 127.0.0.1:" + std::to_string(second_.port()) + "\r\n";
    }
    void first_says(Answer answer) {
        const std::lock_guard lock{mutex_};
        first_answer_ = std::move(answer);
    }

    Reply map() {
        ++maps_;
        if (!has_map_) return {"-CLUSTERDOWN no\r\n"};
        const std::uint16_t port = second_owns_ ? second_port_ : first_port_;
        return {"*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:" + std::to_string(port) + "\r\n"};
    }

    RedisOptions options_;
    std::uint16_t first_port_ = 0;
    std::uint16_t second_port_ = 0;
    std::atomic<int> first_calls_{0};
    std::atomic<int> second_calls_{0};
    std::atomic<int> askings_{0};
    std::atomic<int> maps_{0};
    std::atomic<bool> has_map_{true};
    std::atomic<bool> second_owns_{false};
    std::mutex mutex_;
    Answer first_answer_ = [](const Command& command) { return Reply{granted(command)}; };
    Answer second_answer_ = [](const Command& command) { return Reply{granted(command)}; };
    FakeServer second_{[this](const Command& command, int) {
        if (command[0] == "ASKING") {
            ++askings_;
            return Reply{"+OK\r\n"};
        }
        if (command[0] == "CLUSTER") return map();
        ++second_calls_;
        return second_answer_(command);
    }};
    FakeServer first_{[this](const Command& command, int) {
        if (command[0] == "CLUSTER") return map();
        ++first_calls_;
        const std::lock_guard lock{mutex_};
        return first_answer_(command);
    }};
    std::unique_ptr<RedisStore> store_;
};

TEST_F(ClusterFaultsTest, MovedIsFollowedAndTheMapIsReadAnew) {
    first_says([this](const Command&) {
        second_owns_ = true;  // before the map is read, which would lead back else
        return Reply{to_second("MOVED")};
    });
    make();
    EXPECT_EQ(ask_once().error, StoreError::none);
    EXPECT_EQ(first_calls_, 1);
    EXPECT_EQ(second_calls_, 1);
    EXPECT_TRUE(until([this] { return maps_ >= 2; }));
    EXPECT_EQ(ask_once().error, StoreError::none);
    EXPECT_LE(first_calls_, 2);  // once more if the map has left and not arrived
}

TEST_F(ClusterFaultsTest, AskIsFollowedThisOnceBehindAsking) {
    first_says([this](const Command&) { return Reply{to_second("ASK")}; });
    make();
    for (int i = 1; i <= 3; ++i) {
        EXPECT_EQ(ask_once().error, StoreError::none);
        EXPECT_EQ(first_calls_, i);
        EXPECT_EQ(second_calls_, i);
        EXPECT_EQ(askings_, i);
    }
}

TEST_F(ClusterFaultsTest, ScriptsThatTheTargetHasLostAreLoadedThereBehindAskingAgain) {
    first_says([this](const Command&) { return Reply{to_second("ASK")}; });
    second_answer_ = [this](const Command& command) {
        return second_calls_ == 1 ? Reply{"-NOSCRIPT No matching script.\r\n"} : Reply{granted(command)};
    };
    make();
    EXPECT_EQ(ask_once().error, StoreError::none);
    EXPECT_EQ(askings_, 2);
}

TEST_F(ClusterFaultsTest, TryAgainIsTriedAgainUntilItWorks) {
    first_says([this](const Command& command) {
        return first_calls_ < 5 ? Reply{"-TRYAGAIN Multiple keys request during rehashing of slot\r\n"}
                                : Reply{granted(command)};
    });
    make();
    EXPECT_EQ(ask_once().error, StoreError::none);
    EXPECT_EQ(first_calls_, 5);
}

TEST_F(ClusterFaultsTest, OrUntilTheDeadline) {
    options_.deadline = milliseconds{50};
    first_says([](const Command&) { return Reply{"-TRYAGAIN Multiple keys request during rehashing of slot\r\n"}; });
    make();
    EXPECT_TRUE(until([this] { return maps_ > 0; }));
    const auto start = Clock::now();
    EXPECT_EQ(ask_once().error, StoreError::timeout);
    EXPECT_LT(Clock::now() - start, milliseconds{550});
}

TEST_F(ClusterFaultsTest, NodesThatSendToEachOtherAreNotFollowedForEver) {
    first_says([this](const Command&) { return Reply{to_second("MOVED")}; });
    second_answer_ = [this](const Command&) {
        return Reply{"-MOVED 42 127.0.0.1:" + std::to_string(first_.port()) + "\r\n"};
    };
    make();
    EXPECT_EQ(ask_once().error, StoreError::unavailable);
    EXPECT_LE(first_calls_ + second_calls_, 20);
}

TEST_F(ClusterFaultsTest, WithoutAMapTheStoreIsUnavailableAndRecovers) {
    has_map_ = false;
    make();
    EXPECT_EQ(ask_once().error, StoreError::unavailable);
    has_map_ = true;
    EXPECT_TRUE(until([this] { return ask_once().error == StoreError::none; }, seconds{3}));
}

TEST_F(ClusterFaultsTest, AReplicaThatWasAPrimaryIsNotWrittenToAndTheMapIsReadAnew) {
    first_says([](const Command&) { return Reply{"-READONLY You can't write against a read only replica.\r\n"}; });
    make();
    EXPECT_TRUE(until([this] { return maps_ > 0; }));
    second_owns_ = true;
    EXPECT_TRUE(until([this] { return ask_once().error == StoreError::none; }, seconds{3}));
    EXPECT_EQ(second_calls_, 1);
}

}  // namespace
}  // namespace stint::inline v0::testing_redis
