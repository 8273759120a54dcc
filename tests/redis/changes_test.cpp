// Releases, renewals and resets that nobody's thread waits for: on a real
// server, on one that is slow, and on one that has stopped.
#include <gtest/gtest.h>

#include <csignal>
#include <future>
#include <string>
#include <vector>

#include "redis/asking.hpp"
#include "redis/fake_server.hpp"
#include "redis/until.hpp"
#include "stint/limiter.hpp"

namespace stint::inline v0::testing_redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

const std::vector<Attribute> kQueue{{"queue", "mail"}};
constexpr int kThousand = 1000;

RuleSet one_seat() {
    Rule rule;
    rule.name = "seats";
    rule.key = {"queue"};
    rule.limits = {Limit::concurrency(1, seconds{60})};
    rule.on_store_failure = OnStoreFailure::deny;
    return RuleSet{{rule}};
}

/// Answers that come from other threads.
class Answers {
public:
    ChangeHandler next() {
        auto promise = std::make_shared<std::promise<ChangeAnswer>>();
        answers_.push_back(promise->get_future());
        return [promise](ChangeAnswer answer) { promise->set_value(answer); };
    }
    std::vector<ChangeAnswer> all() {
        std::vector<ChangeAnswer> all;
        for (auto& answer : answers_) all.push_back(answer.get());
        return all;
    }

private:
    std::vector<std::future<ChangeAnswer>> answers_;
};

TEST(RedisChanges, TheirAnswersAreThoseOfTheBlockingForms) {
    const RedisServer server;
    RedisStore store{options_for(server.port())};
    Limiter limiter{store, one_seat()};
    const std::string lease = limiter.check(kQueue).lease;
    ASSERT_FALSE(lease.empty());
    const auto ask = [&](const auto& begin) {
        Answers answers;
        begin(answers.next());
        const ChangeAnswer answer = answers.all()[0];
        EXPECT_EQ(answer.error, StoreError::none);
        return answer.done;
    };
    const auto renew = [&](ChangeHandler done) { limiter.renew_async(lease, std::nullopt, std::move(done)); };
    const auto release = [&](ChangeHandler done) { limiter.release_async(lease, std::nullopt, std::move(done)); };
    const auto reset = [&](ChangeHandler done) { EXPECT_TRUE(limiter.reset_async("seats", kQueue, std::move(done))); };
    EXPECT_TRUE(ask(renew));
    EXPECT_FALSE(limiter.check(kQueue).allowed);
    EXPECT_TRUE(ask(release));
    EXPECT_FALSE(ask(release));
    EXPECT_FALSE(ask(renew));
    EXPECT_FALSE(ask([&](ChangeHandler done) { limiter.release_async("nonsense", std::nullopt, std::move(done)); }));

    EXPECT_TRUE(limiter.check(kQueue).allowed);
    EXPECT_TRUE(ask(reset));
    EXPECT_TRUE(limiter.check(kQueue).allowed);
    EXPECT_TRUE(limiter.reset("seats", kQueue));
    EXPECT_TRUE(ask(reset)) << "of what is as new already too";
    EXPECT_FALSE(limiter.reset_async("other", kQueue, [](ChangeAnswer) { FAIL() << "there is no such rule"; }));
}

TEST(RedisChanges, ThousandReleasesFailTogetherWithinTheDeadline) {
    const RedisServer server;
    RedisStore store{options_for(server.port(), milliseconds{300})};
    Limiter limiter{store, one_seat()};
    ASSERT_TRUE(until([&] { return limiter.reset("seats", kQueue).done; }));
    const std::string lease = limiter.check(kQueue).lease;
    server.signal(SIGSTOP);
    Answers answers;
    const auto start = Clock::now();
    for (int i = 0; i < kThousand; ++i) limiter.release_async(lease, std::nullopt, answers.next());
    EXPECT_LT(Clock::now() - start, milliseconds{300}) << "the caller waited";
    for (const ChangeAnswer answer : answers.all()) {
        EXPECT_FALSE(answer.done);
        EXPECT_NE(answer.error, StoreError::none);
    }
    EXPECT_LT(Clock::now() - start, milliseconds{800});
    server.signal(SIGCONT);
}

TEST(RedisChanges, ALimiterGoesOnlyWhenItsLastChangeIsAnswered) {
    const FakeServer server{[](const Command&, int) { return Reply{.bytes = ":1\r\n", .after = milliseconds{20}}; }};
    RedisStore store{options_for(server.port())};
    Answers answers;
    {
        Limiter limiter{store, one_seat()};
        for (int i = 0; i < 20; ++i) ASSERT_TRUE(limiter.reset_async("seats", kQueue, answers.next()));
    }
    for (const ChangeAnswer answer : answers.all()) EXPECT_TRUE(answer.done);
}

}  // namespace
}  // namespace stint::inline v0::testing_redis
