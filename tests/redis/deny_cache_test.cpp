// Denials that need no server, on one real server.
#include <gtest/gtest.h>

#include "redis/asking.hpp"
#include "redis/until.hpp"
#include "stint/limiter.hpp"

namespace stint::inline v0::testing_redis {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

class DenyCacheTest : public testing::Test {
protected:
    /// Returns: how often a script was called since the statistics were reset.
    [[nodiscard]] std::uint64_t calls() const {
        constexpr std::string_view kField = "cmdstat_evalsha:calls=";
        const std::string stats = server_.cli("INFO commandstats");
        const std::size_t at = stats.find(kField);
        return at == std::string::npos ? 0 : std::stoull(stats.substr(at + kField.size()));
    }

    RedisServer server_;
};

TEST_F(DenyCacheTest, AHotDeniedKeyNeedsNoServer) {
    RedisOptions options = options_for(server_.port());
    RedisStore cached{options};
    options.deny_cache = false;
    RedisStore always{options};
    const AskSpec spec{.key = "a", .limits = {Limit::fixed_window(2, hours{1})}};
    const auto asks_of_server = [&](RedisStore& store, const AskSpec& what) {
        server_.cli("CONFIG RESETSTAT");
        for (int i = 0; i < 50; ++i) EXPECT_FALSE(ask(store, what).allowed);
        return calls();
    };
    EXPECT_TRUE(ask(cached, spec).allowed);
    EXPECT_TRUE(ask(cached, spec).allowed);
    const auto asked = Clock::now();
    const Told denied = ask(cached, spec);
    // Again if the machine takes more than a second for it.
    EXPECT_TRUE(until([&] { return asks_of_server(cached, spec) == 0U; }));
    const Told again = ask(cached, spec);
    EXPECT_LE(again.answer.retry_after, denied.answer.retry_after);
    EXPECT_GE(again.answer.retry_after, denied.answer.retry_after - (Clock::now() - asked)) << "never too short";
    EXPECT_EQ(again.answer.reset_after, again.answer.retry_after);
    EXPECT_EQ(asks_of_server(always, spec), 50U);

    // B51: another limit, as an override has it, is another question.
    AskSpec more = spec;
    more.limits = {Limit::fixed_window(10, hours{1})};
    EXPECT_EQ(ask(cached, more).answer.remaining, 7U) << "the denials were not counted";

    TestCheck reset{spec};
    EXPECT_TRUE(cached.reset(reset.check.asks[0]).done);
    EXPECT_TRUE(ask(cached, spec).allowed);
}

TEST_F(DenyCacheTest, ARuleMayHaveEveryDenialAsked) {
    RedisStore store{options_for(server_.port())};
    Limiter limiter{store, parse_rules(R"(
version: 1
rules:
  - {name: a, match: {n: a}, limits: [{limit: 1, per: 1h}]}
  - {name: b, match: {n: b}, limits: [{limit: 1, per: 1h}], deny_cache: false}
  - {name: c, match: {n: c}, limits: [{limit: 1, per: 1h}], shadow: true}
)")};
    const auto start = Clock::now();
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(limiter.check({{"n", "a"}}).allowed, i == 0);
        EXPECT_EQ(limiter.check({{"n", "b"}}).allowed, i == 0);
        EXPECT_TRUE(limiter.check({{"n", "c"}}).allowed);
    }
    const auto took = Clock::now() - start;
    const std::vector<RuleStats> stats = limiter.stats();
    EXPECT_EQ(stats[0].denied, 9U);
    EXPECT_GE(stats[0].cached_denials, 1U);
    EXPECT_EQ(stats[1].denied, 9U);
    EXPECT_EQ(stats[1].cached_denials, 0U);
    EXPECT_EQ(stats[2].shadow_denied, 9U);
    EXPECT_GE(stats[2].cached_denials, 1U);
    // What was not counted was asked for.
    EXPECT_EQ(stats[0].cached_denials + stats[2].cached_denials + calls(), 30U);
    if (took < seconds{1}) {  // no denial has ended meanwhile
        EXPECT_EQ(stats[0].cached_denials, 8U);
        EXPECT_EQ(stats[2].cached_denials, 8U);
    }
}

TEST_F(DenyCacheTest, ARefundOpensAKeyThatTheCacheHasDenied) {
    RedisStore store{options_for(server_.port())};
    for (const Limit& limit : {Limit::fixed_window(5, minutes{1}), Limit::sliding_window(5, minutes{1}),
                               Limit::sliding_log(5, minutes{1}), Limit::token_bucket(7, minutes{1}, 5)}) {
        const AskSpec spec{.key = limit.kind(), .limits = {limit}};
        Told last = ask(store, spec);
        for (Told next = last; next.allowed; next = ask(store, spec)) last = next;
        EXPECT_FALSE(ask(store, spec).allowed);
        store.refund(limit, last.answer, 0, std::nullopt);
        EXPECT_TRUE(ask(store, spec).allowed) << limit.kind();
    }
}

}  // namespace
}  // namespace stint::inline v0::testing_redis
