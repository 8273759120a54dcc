// Stores that come and go, and connections that servers cut, while checks go
// on: every check is answered, and neither descriptors nor memory are left
// behind. Takes 8 s, with STINT_CI 60 s, with STINT_LONG ten minutes;
// STINT_CHURN_SEED says what comes and goes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "redis/asking.hpp"
#include "redis/fake_server.hpp"
#include "redis/until.hpp"
#include "stint/limiter.hpp"
#include "support/resident_bytes.hpp"

namespace stint::inline v0::testing_chaos {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing_redis::Command;
using testing_redis::FakeServer;
using testing_redis::options_for;
using testing_redis::PlainClient;
using testing_redis::RedisServer;
using testing_redis::Reply;
using testing_redis::until;
using Clock = std::chrono::steady_clock;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsMeasured = false;  // sanitizers keep what was freed
#else
constexpr bool kMemoryIsMeasured = true;
#endif

constexpr milliseconds kDeadline{50};
constexpr std::uint64_t kLimit = 1'000'000'000;
constexpr milliseconds kStoreEvery{5};  // slow enough for the ports that a closed connection keeps for a minute
constexpr int kCutEvery = 50;           // calls of the server that misbehaves
constexpr milliseconds kKillEvery{20};  // of all connections to the server that behaves
constexpr std::size_t kGrowthMax = std::size_t{8} << 20;

Clock::duration duration() {
    if (std::getenv("STINT_LONG") != nullptr) return minutes{10};
    return std::getenv("STINT_CI") != nullptr ? seconds{60} : seconds{8};
}

std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all{"/proc/self/fd"};
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// A store and checks of it, all answered when it goes away.
class Client {
public:
    Client(std::uint16_t port, std::size_t connections, std::atomic<std::uint64_t>& total)
        : total_(total), store_(options(port, connections)) {}
    ~Client() {
        limiter_.reset();  // waits for all answers
        EXPECT_EQ(answered_, asked_);
        total_ += asked_;
    }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void ask() {
        ++asked_;
        const std::string user = std::to_string(asked_ % 100);
        const std::array<Attribute, 1> attributes{{{"user", user}}};
        limiter_->check_async(attributes, {}, [this](const Decision& decision) {
            if (decision.source == Source::store) ++by_store_;
            ++answered_;
        });
    }
    [[nodiscard]] bool all_answered() const {
        return until([this] { return answered_ == asked_; });
    }
    [[nodiscard]] std::uint64_t by_store() const noexcept { return by_store_; }

private:
    static RedisOptions options(std::uint16_t port, std::size_t connections) {
        RedisOptions options = options_for(port, kDeadline);
        options.connections = connections;
        return options;
    }
    static RuleSet rules() {
        return RuleSet{{Rule{.name = "churn", .key = {"user"}, .limits = {Limit::fixed_window(kLimit, hours{2400})}}}};
    }

    std::atomic<std::uint64_t>& total_;
    std::uint64_t asked_ = 0;
    std::atomic<std::uint64_t> answered_{0};
    std::atomic<std::uint64_t> by_store_{0};
    RedisStore store_;
    std::unique_ptr<Limiter> limiter_ = std::make_unique<Limiter>(store_, rules());
};

class ChurnTest : public testing::Test {
protected:
    /// Stores come, ask a little or much, and go, some before they are connected.
    void come_and_go(Clock::duration time) {
        Client steady{server_.port(), 1, asked_};
        Client steady_at_fake{fake_.port(), 1, asked_};
        const std::jthread asking{[&](const std::stop_token& stop) {
            for (; !stop.stop_requested(); (void)poll(nullptr, 0, 1)) {
                for (Client* client : {&steady, &steady_at_fake}) {
                    for (int i = 0; i < 5; ++i) client->ask();
                }
            }
        }};
        for (const auto end = Clock::now() + time; Clock::now() < end;) {
            const auto next = Clock::now() + kStoreEvery;
            one_more();
            if (Clock::now() >= kill_at_) kill_connections();
            (void)until([next] { return Clock::now() >= next; });
        }
        EXPECT_GT(steady.by_store(), 0U);
        EXPECT_GT(steady_at_fake.by_store(), 0U);
    }

    void one_more() {
        Client client{random_() % 2 == 0 ? server_.port() : fake_.port(), 1 + random_() % 3, asked_};
        const std::size_t checks = random_() % 200;
        for (std::size_t i = 0; i < checks; ++i) client.ask();
        EXPECT_TRUE(random_() % 3 == 0 || client.all_answered());
        ++stores_;
    }

    void kill_connections() {
        EXPECT_TRUE(admin_.ask({"CLIENT", "KILL", "TYPE", "normal"}).starts_with(":"));  // all but its own
        kill_at_ = Clock::now() + kKillEvery;
        ++kills_;
    }

    std::uint32_t seed_ = [] {
        const char* given = std::getenv("STINT_CHURN_SEED");
        return given != nullptr ? static_cast<std::uint32_t>(std::stoul(given)) : std::random_device{}();
    }();
    std::minstd_rand random_{seed_};
    RedisServer server_;
    std::atomic<int> calls_{0};
    FakeServer fake_{[this](const Command& command, int) {
        if (++calls_ % kCutEvery == 0) return Reply{.bytes = "$39\r\nab", .cut = true};
        return Reply{testing_redis::granted(command)};
    }};
    PlainClient admin_{server_.port()};
    std::size_t descriptors_ = open_descriptors();  // with those of the servers
    Clock::time_point kill_at_{};
    std::atomic<std::uint64_t> asked_{0};
    std::uint64_t stores_ = 0;
    std::uint64_t kills_ = 0;
};

TEST_F(ChurnTest, StoresThatComeAndGoLeaveNothingBehind) {
    const testing::ScopedTrace trace{__FILE__, __LINE__, fmt::format("STINT_CHURN_SEED={}", seed_)};
    const auto quarter = duration() / 4;
    come_and_go(quarter);  // threads, buffers and the allocator's arenas have been as many as they will be
    const auto descriptors_are = [](std::size_t count) {
        return until([count] { return open_descriptors() == count; });  // a server closes its ends a little later
    };
    EXPECT_TRUE(descriptors_are(descriptors_)) << open_descriptors() << " instead of " << descriptors_;
    const std::size_t resident = resident_bytes();
    come_and_go(duration() - quarter);
    EXPECT_TRUE(descriptors_are(descriptors_)) << open_descriptors() << " instead of " << descriptors_;
    const std::size_t resident_after = resident_bytes();
    if (kMemoryIsMeasured) {
        EXPECT_LT(resident_after, resident + kGrowthMax);
    }
    fmt::print(
        "{} checks by {} stores; {} times all connections were killed, {} replies cut; {} descriptors; resident "
        "{} KiB after a quarter of the time, {} KiB at the end\n",
        asked_.load(), stores_, kills_, calls_ / kCutEvery, descriptors_, resident >> 10, resident_after >> 10);
}

}  // namespace
}  // namespace stint::inline v0::testing_chaos
