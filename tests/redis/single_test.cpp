// The store on one real server: merging, expiries, and a server that loses its
// scripts, starts anew or is out of memory between checks.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <deque>
#include <random>
#include <thread>

#include "redis/crowd.hpp"
#include "redis/fake_server.hpp"
#include "redis/until.hpp"

namespace stint::inline v0::testing_redis {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

/// Some of each algorithm, with numbers that a few checks reach.
std::vector<Limit> some_limits() {
    return {
        Limit::fixed_window(5, minutes{1}),
        Limit::fixed_window(4, minutes{1}, Anchor::clock),
        Limit::make(
            {.algorithm = Algorithm::fixed_window, .limit = 6, .anchor = Anchor::calendar, .unit = CalendarUnit::day}),
        Limit::sliding_window(5, minutes{1}),
        Limit::make({.algorithm = Algorithm::sliding_window,
                     .limit = 5,
                     .per = minutes{1},
                     .mode = WindowMode::weighted,
                     .buckets = 2}),
        Limit::sliding_log(5, minutes{1}),
        Limit::token_bucket(7, seconds{3}, 5),
        Limit::concurrency(5, minutes{1}),
        Limit::make({.algorithm = Algorithm::sliding_log, .limit = 4, .per = minutes{1}, .count_denied = true})};
}

class SingleTest : public testing::Test {
protected:
    explicit SingleTest(std::vector<std::string> arguments = {}) : server_(std::move(arguments)) {}
    std::unique_ptr<RedisStore> make_store(const std::string& prefix = "stint:") {
        RedisOptions options = options_for(server_.port());
        options.prefix = prefix;
        return std::make_unique<RedisStore>(options);
    }
    bool recovers(Store& store) {
        return until([&store] { return ask(store, {.key = "other"}, true).error == StoreError::none; });
    }
    void expect_expiries() {
        for (const auto& [name, ttl] : ttls(server_)) EXPECT_GT(ttl, 0) << name;
    }

    RedisServer server_;
};

class AofTest : public SingleTest {
protected:
    AofTest() : SingleTest({"--appendonly", "yes", "--appendfsync", "always"}) {}
};

TEST_F(SingleTest, EqualChecksTogetherAreAnsweredAsOneAfterTheOther) {
    const auto together = make_store("a:");
    const auto apart = make_store("b:");
    std::mt19937 random{std::random_device{}()};
    const auto seed = random();
    random.seed(seed);
    const std::vector<Limit> limits = some_limits();
    Instant now{hours{24} * 20'000};
    for (int round = 0; round < 150; ++round) {
        now += Duration{random() % 20'000'000};
        std::deque<TestCheck> checks;
        for (int i = 0; i < 24; ++i) {
            const std::size_t kind = random() % limits.size();
            std::vector<AskSpec> specs{{.key = std::to_string(random() % 2),
                                        .limits = {limits[kind]},
                                        .rule = "rule" + std::to_string(kind),
                                        .cost = random() % 3 > 0 ? 1U : 2U}};
            if (random() % 6 == 0) {  // another script, with the key that others ask alone
                specs.push_back({.key = specs[0].key, .limits = {limits[0], limits[5]}, .rule = "several"});
            }
            checks.emplace_back(specs, random() % 8 == 0).check.lease_id = random();
        }
        std::vector<Check> first;
        for (TestCheck& check : checks) first.push_back(check.check);
        together->decide(first, now);
        std::vector<std::vector<Answer>> answers;
        for (const Check& check : first) {
            ASSERT_EQ(check.error, StoreError::none);
            std::vector<Answer>& copy = answers.emplace_back();
            for (const Ask& ask : check.asks) copy.insert(copy.end(), ask.answers.begin(), ask.answers.end());
        }
        for (std::size_t i = 0; i < checks.size(); ++i) {
            Check& check = checks[i].check;
            apart->decide({&check, 1}, now);
            EXPECT_EQ(first[i].allowed, check.allowed) << "seed " << seed << ", round " << round << ", check " << i;
            std::size_t next = 0;
            for (const Ask& ask : check.asks) {
                for (const Answer& answer : ask.answers) {
                    const Answer& other = answers[i][next++];
                    EXPECT_EQ(other.allowed, answer.allowed) << "seed " << seed;
                    EXPECT_EQ(other.remaining, answer.remaining) << "seed " << seed;
                    EXPECT_EQ(other.retry_after, answer.retry_after) << "seed " << seed;
                    EXPECT_EQ(other.reset_after, answer.reset_after) << "seed " << seed;
                    EXPECT_EQ(other.charged, answer.charged) << "seed " << seed;
                    EXPECT_EQ(other.moment, answer.moment) << "seed " << seed;
                }
            }
        }
        if (HasFailure()) return;
    }
    expect_expiries();
}

TEST_F(SingleTest, ExactlyTenOfAHundredPass) {
    for (const std::size_t servers : {1U, 4U}) {  // of stint, each with connections of its own
        std::vector<std::unique_ptr<RedisStore>> stores;
        for (std::size_t i = 0; i < servers; ++i) stores.push_back(make_store("m" + std::to_string(servers) + ":"));
        const std::vector<Limit> limits{kTenAMinute, Limit::sliding_window(10, minutes{1}),
                                        Limit::sliding_log(10, minutes{1}), Limit::token_bucket(10, hours{10}),
                                        Limit::concurrency(10, minutes{1})};
        for (std::size_t round = 0; round < 50; ++round) {
            const AskSpec spec{.key = std::to_string(round), .limits = {limits[round % limits.size()]}};
            ASSERT_EQ(hundred_at_once(stores, spec), 10) << spec.limits[0].kind();
        }
    }
}

TEST_F(SingleTest, NoCheckLeavesAKeyWithoutExpiry) {
    const auto store = make_store();
    std::mt19937 random{std::random_device{}()};
    const std::vector<Limit> limits = some_limits();
    std::vector<Answer> refunds;
    for (int i = 0; i < 1000; ++i) {
        const std::size_t kind = random() % limits.size();
        TestCheck check{std::vector<AskSpec>{
            {.key = std::to_string(random() % 9), .limits = {limits[kind]}, .rule = "r" + std::to_string(kind)},
            {.key = "all",
             .limits = {limits[0], limits[6]},
             .rule = "both",
             .ban = Ban{3, seconds{20}, seconds{30}, false}}}};
        check.check.lease_id = random();
        check.check.asks = check.check.asks.subspan(0, 1 + random() % 2);
        store->decide({&check.check, 1}, std::nullopt);
        ASSERT_EQ(check.check.error, StoreError::none);
        if (check.answer().charged > 0 && random() % 3 == 0) {
            store->refund(limits[kind], check.answer(), check.check.lease_id, std::nullopt);
        }
    }
    EXPECT_GT(ttls(server_).size(), 50U);
    expect_expiries();
}

TEST_F(SingleTest, AKeyExpiresWhenItIsAsNew) {
    const auto store = make_store();
    for (const Duration period : {Duration{milliseconds{100}}, Duration{seconds{1}}, Duration{seconds{60}},
                                  Duration{hours{1}}, Duration{hours{720}}}) {
        const auto ms = [](Duration d) { return (d.count() + 999) / 1000; };
        const Limit window = Limit::sliding_window(10, period);
        struct Case {
            Limit limit;
            std::int64_t reset_ms;
            std::int64_t ttl_ms;
        };
        for (const Case& expected : {Case{Limit::fixed_window(10, period), ms(period), ms(period)},
                                     Case{Limit::sliding_log(10, period), ms(period), ms(period)},
                                     Case{window, ms(period) + ms(Duration{window.part_us()}),
                                          ms(period) + ms(Duration{window.part_us()}) + 1},
                                     Case{Limit::token_bucket(10, period, 20), 2 * ms(period), 2 * ms(period)},
                                     Case{Limit::concurrency(10, period), ms(period), ms(period)}}) {
            Told told;
            std::map<std::string, std::int64_t> left;
            // Again if the machine was so slow that the shortest had ended before they were read.
            ASSERT_TRUE(until([&] {
                server_.cli("FLUSHALL");
                const auto start = Clock::now();
                told = ask(*store, {.key = "a", .limits = {expected.limit}});
                left = ttls(server_);
                return Clock::now() - start < period;
            }));
            ASSERT_EQ(left.size(), 1U);
            EXPECT_LE(ms(told.answer.reset_after), expected.reset_ms) << expected.limit.kind();
            for (const auto& [name, ttl] : left) {
                EXPECT_GT(ttl, 0) << expected.limit.kind();
                EXPECT_LE(ttl, expected.ttl_ms) << expected.limit.kind();
            }
        }
    }
}

TEST_F(SingleTest, AKeyThatLostItsExpiryBlocksNobody) {
    const auto store = make_store();
    const AskSpec spec{.key = "a", .limits = {Limit::fixed_window(3, seconds{2})}};
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(ask(*store, spec).allowed);
    server_.cli("PERSIST 'stint:1:rule:{key=a}'");
    (void)ask(*store, spec);
    EXPECT_TRUE(until([&] { return ask(*store, spec).allowed; }));
    EXPECT_GT(ttls(server_).at("stint:1:rule:{key=a}"), 0);
}

TEST_F(SingleTest, AKeyThatLostItsExpiryLivesAsLongAsItsLongestLimit) {
    const auto store = make_store();
    const Limit quick = Limit::fixed_window(300, milliseconds{300});
    const Limit slow = Limit::sliding_window(300, hours{1});
    for (const std::vector<Limit>& later : {std::vector{quick}, std::vector{quick, slow}}) {
        server_.cli("FLUSHALL");
        (void)ask(*store, {.key = "a", .limits = {quick, slow}});
        server_.cli("PERSIST 'stint:1:rule:{key=a}'");
        (void)ask(*store, {.key = "a", .limits = later});
        const std::int64_t ttl = ttls(server_).at("stint:1:rule:{key=a}");
        EXPECT_GT(ttl, milliseconds{hours{1}}.count()) << "what is left of a part more";
        EXPECT_LE(ttl, milliseconds{minutes{62}}.count());
    }
}

TEST_F(SingleTest, WhatARuleNoLongerHasIsForgottenInItsTime) {
    const auto store = make_store();
    const Limit stays = Limit::token_bucket(1000, hours{1});
    std::vector<Limit> all{stays};
    for (const Limit& limit : some_limits()) {
        if (limit.algorithm() != Algorithm::token_bucket && !limit.count_denied()) all.push_back(limit);
    }
    const Instant now{hours{24} * 20'000};
    const AskSpec with_all{.key = "a", .limits = all};
    const AskSpec with_one{.key = "a", .limits = {stays}};
    const auto size = [this] { return std::stoi(server_.cli("STRLEN 'stint:1:rule:{key=a}'")); };
    EXPECT_TRUE(ask(*store, with_one, false, now).allowed);
    const int alone = size();
    EXPECT_TRUE(ask(*store, with_all, false, now).allowed);
    EXPECT_TRUE(ask(*store, with_one, false, now + seconds{59}).allowed);
    EXPECT_GT(size(), 5 * alone) << "they still count";
    EXPECT_TRUE(ask(*store, with_one, false, now + hours{25}).allowed) << "the calendar's day has ended";
    EXPECT_EQ(size(), alone);
}

TEST_F(SingleTest, CountAndResetMoveTogether) {
    const auto store = make_store();
    const AskSpec spec{.key = "a", .limits = {Limit::fixed_window(300'000, milliseconds{200})}};
    std::atomic<int> faults{0};
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller) {
        callers.emplace_back([&] {
            const auto end = Clock::now() + seconds{2};
            std::int64_t window_end = 0;
            std::uint64_t remaining = 0;
            while (Clock::now() < end) {
                const Told told = ask(*store, spec);
                if (told.error != StoreError::none || !told.allowed) ++faults;
                const bool later = told.answer.moment != window_end;  // the end of the window
                if (window_end != 0 && later != (told.answer.remaining > remaining)) ++faults;
                window_end = told.answer.moment;
                remaining = told.answer.remaining;
            }
        });
    }
    callers.clear();
    EXPECT_EQ(faults, 0);
}

TEST_F(SingleTest, KeysOfOtherFormatsAreLeftAlone) {
    const auto store = make_store();
    for (const char* version : {"0", "2"}) {
        EXPECT_EQ(server_.cli(std::string{"SET 'stint:"} + version + ":rule:{key=a}' nonsense"), "OK");
    }
    EXPECT_EQ(used(*store, {.key = "a"}), 0U);
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(ask(*store, {.key = "a"}).allowed);
    EXPECT_FALSE(ask(*store, {.key = "a"}).allowed);
    EXPECT_EQ(server_.cli("GET 'stint:0:rule:{key=a}'"), "nonsense");
    EXPECT_EQ(server_.cli("GET 'stint:2:rule:{key=a}'"), "nonsense");
}

TEST_F(SingleTest, AValueThatIsNotOursFailsAloneAndStaysAsItIs) {
    const auto store = make_store();
    for (const Limit& limit : some_limits()) {
        const AskSpec whole{.key = "whole", .limits = {limit}};
        const AskSpec other{.key = "other", .limits = {limit}};
        const std::string name = *ask(*store, whole).answer.counter.key;
        const std::string good = server_.cli("--raw GET '" + name + "'");
        ASSERT_FALSE(good.empty());
        // Text, a block that is cut short, and one whose body is nonsense.
        for (const std::string& damage : {"SET '" + name + "' hello", "SETRANGE '" + name + "' 8 x",
                                          "SETRANGE '" + name + "' 11 " + std::string(good.size(), '~')}) {
            server_.cli("DEL '" + name + "'");
            ASSERT_TRUE(ask(*store, whole).allowed);
            server_.cli(damage);
            const std::string before = server_.cli("DUMP '" + name + "'");
            TestCheck damaged{whole};
            TestCheck beside{other};
            std::array checks{damaged.check, beside.check};
            store->decide(checks, std::nullopt);
            EXPECT_EQ(checks[1].error, StoreError::none) << to_string(limit.algorithm()) << ": " << damage;
            if (checks[0].error == StoreError::none) continue;  // nonsense that could be ours
            EXPECT_EQ(checks[0].error, StoreError::refused);
            EXPECT_EQ(server_.cli("DUMP '" + name + "'"), before) << damage;
        }
        server_.cli("FLUSHALL");
    }
    const AskSpec text{.key = "text"};
    const std::string name = *ask(*store, text).answer.counter.key;
    server_.cli("SET '" + name + "' hello");
    EXPECT_EQ(ask(*store, text).error, StoreError::refused);
    EXPECT_EQ(server_.cli("GET '" + name + "'"), "hello");
}

TEST_F(SingleTest, ANameThatIsNoLeaseOfACounterChangesNothing) {
    const auto store = make_store();
    for (const Limit& limit : some_limits()) {
        const AskSpec spec{.key = "k", .limits = {limit}};
        const Told told = ask(*store, spec);
        ASSERT_TRUE(told.allowed);
        const std::string before = server_.cli("DUMP '" + *told.answer.counter.key + "'");
        for (const std::uint64_t lease : {std::uint64_t{12'345}, ~std::uint64_t{0}}) {
            EXPECT_FALSE(store->release(told.answer.counter, lease, std::nullopt));
            EXPECT_FALSE(store->renew(told.answer.counter, lease, std::nullopt));
        }
        EXPECT_EQ(server_.cli("DUMP '" + *told.answer.counter.key + "'"), before) << to_string(limit.algorithm());
        server_.cli("FLUSHALL");
    }
}

TEST_F(SingleTest, ScriptsThatAreFlushedBetweenChecksAreNotMissed) {
    const auto store = make_store();
    for (std::uint64_t i = 0; i < 100; ++i) {
        if (i % 3 == 0) server_.cli("SCRIPT FLUSH");
        const Told told = ask(*store, {.key = "a", .limits = {kMany}});
        ASSERT_EQ(told.error, StoreError::none);
        EXPECT_EQ(kMany.limit() - told.answer.remaining, i + 1);
    }
}

TEST_F(SingleTest, NorThoseFlushedUnderLoad) {
    const auto store = make_store();
    std::atomic<std::uint64_t> answered{0};
    {
        std::vector<std::jthread> callers;
        for (int caller = 0; caller < 8; ++caller) {
            callers.emplace_back([&] {
                for (int i = 0; i < 200; ++i) {
                    const bool both = i % 4 == 0;
                    AskSpec spec{.key = "a", .limits = {kMany}};
                    if (both) spec.limits.push_back(Limit::sliding_window(1'000'000, hours{1}));
                    if (ask(*store, spec).error == StoreError::none) ++answered;
                }
            });
        }
        for (int i = 0; i < 20; ++i) server_.cli("SCRIPT FLUSH");
    }
    EXPECT_EQ(answered, 1600U);
    EXPECT_EQ(used(*store, {.key = "a", .limits = {kMany}}), 1600U);
}

TEST_F(AofTest, ARestartAndAKillBetweenChecksKeepTheCount) {
    const auto store = make_store();
    std::uint64_t answered = 0;
    std::uint64_t failed = 0;
    for (int i = 0; i < 100; ++i) {
        if (i % 25 == 10) {
            server_.kill();
            server_.start();
        }
        if (i % 25 == 20) {
            server_.cli("SHUTDOWN NOSAVE");
            server_.kill();
            server_.start();
        }
        const Told told = ask(*store, {.key = "a", .limits = {kMany}});
        if (told.error == StoreError::none) {
            ++answered;
        } else {
            EXPECT_EQ(told.error, StoreError::unavailable);
            ++failed;
            EXPECT_TRUE(recovers(*store));
        }
    }
    EXPECT_EQ(answered + failed, 100U);
    EXPECT_EQ(used(*store, {.key = "a", .limits = {kMany}}), answered);
}

TEST_F(SingleTest, AStoppedServerFailsWithinTheDeadlineAndIsBackByItself) {
    RedisOptions options = options_for(server_.port(), milliseconds{50});
    RedisStore store{options};
    ASSERT_TRUE(recovers(store));
    server_.signal(SIGSTOP);
    for (int i = 0; i < 20; ++i) {
        const auto start = Clock::now();
        EXPECT_NE(ask(store, {.key = "a"}).error, StoreError::none);
        EXPECT_LT(Clock::now() - start, milliseconds{550});
    }
    server_.signal(SIGCONT);
    const auto start = Clock::now();
    EXPECT_TRUE(recovers(store));
    EXPECT_LT(Clock::now() - start, milliseconds{1500});
}

class FullTest : public SingleTest {
protected:
    FullTest() : SingleTest({"--maxmemory", "3mb", "--maxmemory-policy", "noeviction"}) {}
};

TEST_F(FullTest, AFullServerRefusesGrantsAndStillDenies) {
    const auto store = make_store();
    ASSERT_TRUE(recovers(*store));
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(ask(*store, {.key = "denied"}).allowed);
    PlainClient client{server_.port()};
    for (int i = 0; !client.ask({"SET", "fill" + std::to_string(i), std::string(1000, 'x')}).starts_with("-OOM"); ++i) {
        ASSERT_LT(i, 100'000);
    }
    // What the filling client gives back leaves room for a few more.
    StoreError error = StoreError::none;
    for (int i = 0; i < 10'000 && error == StoreError::none; ++i) error = ask(*store, {.key = std::to_string(i)}).error;
    EXPECT_EQ(error, StoreError::refused);
    const Told told = ask(*store, {.key = "denied"});
    EXPECT_EQ(told.error, StoreError::none);
    EXPECT_FALSE(told.allowed);
    server_.cli("CONFIG SET maxmemory 0");
    EXPECT_EQ(ask(*store, {.key = "a"}).error, StoreError::none);
}

TEST_F(SingleTest, ABusyServerIsUnavailableUntilItsScriptEnds) {
    RedisStore store{options_for(server_.port(), milliseconds{200})};
    ASSERT_TRUE(recovers(store));
    server_.cli("CONFIG SET busy-reply-threshold 20");
    std::jthread busy{[this] { server_.cli("EVAL 'while true do end' 0"); }};
    EXPECT_TRUE(until([&store] { return ask(store, {.key = "a"}).error == StoreError::unavailable; }));
    EXPECT_TRUE(until([this] { return server_.cli("SCRIPT KILL") == "OK"; }));
    EXPECT_TRUE(recovers(store));
}

TEST_F(SingleTest, AReplicaIsNotWrittenTo) {
    const auto store = make_store();
    ASSERT_TRUE(recovers(*store));
    const RedisServer primary;
    server_.cli("REPLICAOF 127.0.0.1 " + std::to_string(primary.port()));
    EXPECT_TRUE(until([this] { return server_.cli("ROLE").find("connected") != std::string::npos; }));
    EXPECT_EQ(ask(*store, {.key = "a"}).error, StoreError::unavailable);
    server_.cli("REPLICAOF NO ONE");
    EXPECT_TRUE(until([&store] { return ask(*store, {.key = "a"}).error == StoreError::none; }));
}

TEST_F(SingleTest, AUserWithoutScriptCallsWhatAnotherLoads) {
    const auto loader = make_store();
    ASSERT_TRUE(recovers(*loader));
    server_.cli("ACL SETUSER limiter on '>secret' '~stint:*' -@all +evalsha +get +set +del +pttl +time");
    RedisOptions options = options_for(server_.port());
    options.user = "limiter";
    options.password = "secret";
    RedisStore store{options};
    EXPECT_EQ(ask(store, {.key = "a"}).error, StoreError::none);
    options.password = "wrong";
    RedisStore wrong{options};
    EXPECT_EQ(ask(wrong, {.key = "a"}).error, StoreError::unavailable);
}

}  // namespace
}  // namespace stint::inline v0::testing_redis
