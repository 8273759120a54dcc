// Checks as Asio operations, and functions that return an awaitable under a limit.
#include "stint/asio.hpp"

#include <gtest/gtest.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <memory>
#include <string>
#include <thread>

#include "cpp_api/stores.hpp"
#include "redis/until.hpp"
#include "stint/testing.hpp"

namespace stint::inline v0 {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using std::chrono::minutes;

class AsioTest : public OnEachStore {
protected:
    AsioTest() {
        limiter_.reload(RuleSet{{Rule{.name = "three",
                                      .match = {{"action", {"ask"}}},
                                      .key = {"user"},
                                      .limits = {Limit::sliding_log(3, minutes{1})}}}});
    }

    /// Runs a coroutine to its end, here. Errors: throws what it throws.
    template <typename T>
    T run(awaitable<T> coroutine) {
        auto future = asio::co_spawn(io_, std::move(coroutine), asio::use_future);
        io_.restart();
        io_.run();
        return future.get();
    }

    asio::io_context io_;
    Limiter limiter_{store(), RuleSet{}};
    std::array<Attribute, 2> ann_{Attribute{"action", "ask"}, Attribute{"user", "ann"}};
};

TEST_P(AsioTest, HandlersRunOnTheirExecutorAndLater) {
    int allowed = 0;
    int denied = 0;
    for (int i = 0; i < 5; ++i) {
        // A handler that may only move.
        async_check(limiter_, ann_, {},
                    asio::bind_executor(io_, [&, owner = std::make_unique<int>(1),
                                              thread = std::this_thread::get_id()](const Decision& decision) {
                        EXPECT_EQ(*owner, 1);
                        EXPECT_EQ(std::this_thread::get_id(), thread);
                        ++(decision.allowed ? allowed : denied);
                    }));
    }
    EXPECT_EQ(allowed + denied, 0);
    io_.run();  // returns when nothing is under way any more
    EXPECT_EQ(allowed, 3);
    EXPECT_EQ(denied, 2);
}

TEST_P(AsioTest, TakesFuturesAndDeferredOperations) {
    EXPECT_TRUE(async_check(limiter_, ann_, {}, asio::use_future).get().allowed);
    std::string name = "a name that is gone when the operation begins, and too long to be kept in place";
    auto later = [&] {
        const std::array attributes{Attribute{"action", "ask"}, Attribute{"user", name}};
        return async_check(limiter_, attributes, {.cost = 3}, asio::deferred);
    }();
    EXPECT_EQ(limiter_.peek({{"action", "ask"}, {"user", name}}).remaining, 3U) << "not begun, nothing consumed";
    const std::string kept = name;
    name.assign(name.size(), 'x');
    EXPECT_TRUE(std::move(later)(asio::use_future).get().allowed);
    EXPECT_EQ(limiter_.peek({{"action", "ask"}, {"user", kept}}).remaining, 0U);

    const RuleHandle rule = limiter_.declare({.name = "declared", .limits = {Limit::fixed_window(1, minutes{1})}});
    EXPECT_TRUE(async_check(limiter_, rule, {}, {}, asio::use_future).get().allowed);
    EXPECT_FALSE(async_check(limiter_, rule, {}, {}, asio::use_future).get().allowed);
}

TEST_P(AsioTest, CoroutinesAwaitADecision) {
    const auto ask = [&]() -> awaitable<int> {
        int allowed = 0;
        for (int i = 0; i < 5; ++i) {
            auto asked = async_check(limiter_, ann_, {}, use_awaitable);
            const Decision decision = co_await std::move(asked);
            if (decision.allowed) ++allowed;
        }
        co_return allowed;
    };
    EXPECT_EQ(run(ask()), 3);
}

/// Asks a clock before it answers, so that it really suspends.
struct Partner {
    int begun = 0;
    std::string prefix = "page of ";
    awaitable<std::string> fetch(std::string what) {
        ++begun;
        const auto executor = co_await asio::this_coro::executor;
        asio::steady_timer timer{executor};
        timer.expires_after(std::chrono::microseconds{1});
        auto waiting = timer.async_wait(use_awaitable);
        co_await std::move(waiting);
        if (what == "bad") throw std::runtime_error{"bad"};
        std::string page = prefix + what;
        co_return page;
    }
    awaitable<void> ping() {
        ++begun;
        co_return;
    }
};

TEST_P(AsioTest, FunctionsThatReturnAnAwaitableAreLimitedWhenAwaited) {
    Partner partner;
    auto fetch =
        rate_limited<"fetch", 3, 60>(limiter_, &Partner::fetch, [](auto&, const std::string& what) { return what; });
    { auto dropped = fetch(partner, "news"); }
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run(fetch(partner, "news")), "page of news");
    EXPECT_THROW(run(fetch(partner, "news")), RateLimitExceeded);
    EXPECT_EQ(partner.begun, 3) << "neither the dropped one nor the denied one has begun";
    EXPECT_EQ(run(fetch(partner, "sport")), "page of sport");
    EXPECT_THROW(run(fetch(partner, "bad")), std::runtime_error);
}

TEST_P(AsioTest, ResultsInsteadOfExceptions) {
    Partner partner;
    auto fetch = try_rate_limited<"fetch", 1, 60>(limiter_, &Partner::fetch);
    auto first = run(fetch(partner, "news"));
    ASSERT_TRUE(first);
    EXPECT_EQ(*first, "page of news");
    EXPECT_FALSE(run(fetch(partner, "news")));
    auto ping = try_rate_limited<"ping", 1, 60>(limiter_, &Partner::ping);
    EXPECT_TRUE(run(ping(partner)));
    EXPECT_FALSE(run(ping(partner)));
    EXPECT_EQ(partner.begun, 2);
}

TEST_P(AsioTest, PlacesAreHeldUntilTheOperationEnds) {
    Partner partner;
    auto fetch = try_rate_limited<"jobs">(limiter_, concurrency(2, minutes{1}), &Partner::fetch);
    int allowed = 0;
    int denied = 0;
    // In one thread: the third asks before the timers of the first two have fired, and so does every third after it.
    const auto one = [&]() -> awaitable<void> {
        auto fetching = fetch(partner, "news");
        const auto result = co_await std::move(fetching);
        ++(result ? allowed : denied);
    };
    const RuleHandle jobs = limiter_.declare(
        {.name = "jobs", .match = {{"action", {"jobs"}}}, .limits = {Limit::concurrency(2, minutes{1})}});
    const Decision held = limiter_.check(jobs, {});
    run(one());
    EXPECT_EQ(allowed, 1) << "one place was left";
    EXPECT_TRUE(testing_redis::until([&] { return limiter_.check(jobs, {}).allowed; })) << "and was given back";
    run(one());
    EXPECT_EQ(denied, 1);
    limiter_.release(held.lease);
    run(one());
    EXPECT_EQ(allowed, 2);
}

// The mission's proof with coroutines: 100 operations on four threads, limit 10.
TEST_P(AsioTest, AmongAHundredAtOnceExactlyTenGetThrough) {
    for (int round = 0; round < 30; ++round) {
        std::atomic<int> allowed = 0;
        std::atomic<int> denied = 0;
        auto submit = try_rate_limited<"submit", 10, 60>(
            limiter_,
            [&](int) -> awaitable<void> {
                ++allowed;
                co_return;
            },
            [](int team) { return team; });
        asio::thread_pool pool{4};
        const auto one = [&]() -> awaitable<void> {
            auto submitting = submit(round);
            const auto result = co_await std::move(submitting);
            if (!result) ++denied;
        };
        for (int i = 0; i < 100; ++i) asio::co_spawn(pool, one, asio::detached);
        pool.join();
        ASSERT_EQ(allowed, 10) << "round " << round;
        ASSERT_EQ(denied, 90) << "round " << round;
    }
}

STINT_ON_EACH_STORE(AsioTest);

}  // namespace
}  // namespace stint::inline v0
