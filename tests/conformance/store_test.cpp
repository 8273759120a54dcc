// The conformance vectors on every store: each vector in an empty store, and
// all of them one after the other in a single store, whose time thus jumps by
// decades back and forth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>

#include "redis/redis_server.hpp"
#include "selftest/runner.hpp"
#include "selftest/selftest.hpp"
#include "selftest/vectors.hpp"
#include "stint/memory_store.hpp"
#include "stint/redis_store.hpp"

namespace stint::inline v0::selftest {
namespace {

struct StoreKind {
    const char* name;
    std::function<std::unique_ptr<Store>()> make;
};

void PrintTo(const StoreKind& kind, std::ostream* out) {
    *out << kind.name;
}

class Conformance : public testing::TestWithParam<std::tuple<StoreKind, const char*>> {
protected:
    [[nodiscard]] static std::unique_ptr<Store> make_store() { return std::get<0>(GetParam()).make(); }
    [[nodiscard]] static std::string text() {
        std::ifstream file{std::string{STINT_SOURCE_DIR} + "/tests/conformance/" + std::get<1>(GetParam()) + ".jsonl"};
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }
};

TEST_P(Conformance, EachVectorInAnEmptyStore) {
    const auto vectors = parse_vectors(text(), std::get<1>(GetParam()));
    ASSERT_TRUE(vectors) << vectors.error();
    ASSERT_FALSE(vectors->empty());
    for (const Vector& vector : *vectors) {
        SelftestResult result;
        std::ostringstream out;
        const auto done = run_vector(vector, *make_store(), 1, result, out);
        ASSERT_TRUE(done) << done.error();
        EXPECT_EQ(result.mismatches, 0U) << out.str();
    }
}

TEST_P(Conformance, AllVectorsInOneStore) {
    const auto store = make_store();
    std::ostringstream out;
    const auto result = run_vectors(text(), *store, out);
    ASSERT_TRUE(result) << result.error();
    EXPECT_GT(result->steps, 0U);
    EXPECT_EQ(result->mismatches, 0U) << out.str();
}

std::unique_ptr<Store> make_memory_store() {
    MemoryStoreOptions options;
    options.max_memory = std::size_t{8} << 20;
    options.huge_pages = false;
    return std::make_unique<MemoryStore>(options);
}

/// All tests share one server; each store has its own keys.
testing_redis::RedisServer& redis_server() {
    static testing_redis::RedisServer server;
    return server;
}

std::unique_ptr<Store> make_redis_store() {
    static int number = 0;
    RedisOptions options;
    options.addresses = {{"127.0.0.1", redis_server().port()}};
    options.prefix = "t" + std::to_string(++number) + ":";
    options.deadline = std::chrono::seconds{10};  // what is tested is the answer, on a busy machine too
    return std::make_unique<RedisStore>(options);
}

INSTANTIATE_TEST_SUITE_P(Store, Conformance,
                         testing::Combine(testing::Values(StoreKind{"memory", make_memory_store},
                                                          StoreKind{"redis", make_redis_store}),
                                          testing::Values("hand", "random", "extra")),
                         [](const auto& instance) {
                             return std::string{std::get<0>(instance.param).name} + "_" + std::get<1>(instance.param);
                         });

TEST(SelftestOnRedis, PassesAndLeavesNothingBehind) {
    const testing_redis::RedisServer server;
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(selftest({.store = "redis://127.0.0.1:" + std::to_string(server.port())}, out, err), 0) << err.str();
    EXPECT_THAT(out.str(), testing::MatchesRegex("[0-9]+ vectors, [0-9]+ steps, 0 mismatches\n"));
    EXPECT_EQ(server.cli("dbsize"), "0");
    EXPECT_NE(server.cli("info commandstats").find("cmdstat_evalsha:"), std::string::npos);
}

TEST(SelftestOnRedis, SaysWhatTheServerSays) {
    const testing_redis::RedisServer server;
    ASSERT_EQ(server.cli("CONFIG SET requirepass right"), "OK");
    const auto complaint = [&server](const std::string& user) {
        std::ostringstream out;
        std::ostringstream err;
        EXPECT_EQ(selftest({.store = "redis://" + user + "127.0.0.1:" + std::to_string(server.port())}, out, err), 2);
        return err.str();
    };
    EXPECT_THAT(complaint(""), testing::HasSubstr("NOAUTH Authentication required."));
    EXPECT_THAT(complaint(":wrong@"), testing::HasSubstr("WRONGPASS"));
    EXPECT_THAT(complaint(":wrong@"), testing::Not(testing::HasSubstr("wrong@")));
}

}  // namespace
}  // namespace stint::inline v0::selftest
