// A real server that takes seconds to load what it kept.
#include <gtest/gtest.h>

#include <mutex>

#include "redis/asking.hpp"
#include "redis/until.hpp"
#include "stint/limiter.hpp"

namespace stint::inline v0::testing_redis {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

TEST(Loading, ChecksAreDecidedByPolicyMeanwhileAndByTheStoreAfterwards) {
    // Each of five hundred keys takes two milliseconds to load, and the server answers every ten keys.
    RedisServer server{
        {"--dbfilename", "dump.rdb", "--key-load-delay", "2000", "--loading-process-events-interval-bytes", "1024"}};
    std::mutex mutex;
    std::string log;
    RedisOptions options = options_for(server.port(), milliseconds{200});
    options.log = [&](const std::string& line) {
        const std::lock_guard lock{mutex};
        log += line + '\n';
    };
    RedisStore store{options};
    Rule rule;
    rule.name = "submit";
    rule.key = {"team"};
    rule.limits = {Limit::fixed_window(10, hours{1})};
    Limiter limiter{store, RuleSet{{rule}}};
    const auto check = [&limiter] { return limiter.check({{"team", "42"}}); };
    ASSERT_TRUE(until([&] { return limiter.peek({{"team", "42"}}).source == Source::store; }));
    for (int i = 0; i < 3; ++i) ASSERT_EQ(check().source, Source::store);
    server.cli("EVAL \"for i = 1, 500 do redis.call('SET', 'fill' .. i, string.rep('x', 100)) end\" 0");
    ASSERT_EQ(server.cli("SAVE"), "OK");
    server.kill();
    server.launch();
    const auto loading = [&server] { return server.cli("PING").starts_with("LOADING"); };
    ASSERT_TRUE(until(loading));
    int meanwhile = 0;
    for (;; ++meanwhile) {
        const auto start = Clock::now();
        const Source source = check().source;
        const auto took = Clock::now() - start;
        if (!loading()) break;
        ASSERT_EQ(source, Source::local);
        ASSERT_LT(took, options.deadline + milliseconds{500});
    }
    EXPECT_GE(meanwhile, 3);
    Decision decision;
    EXPECT_TRUE(until([&] { return (decision = limiter.peek({{"team", "42"}})).source == Source::store; }));
    EXPECT_LE(decision.remaining, 7U);  // what it had counted before; one more if the last check met it loaded
    EXPECT_GE(decision.remaining, 6U);
    const std::lock_guard lock{mutex};
    EXPECT_NE(log.find("LOADING"), std::string::npos) << log;
}

}  // namespace
}  // namespace stint::inline v0::testing_redis
