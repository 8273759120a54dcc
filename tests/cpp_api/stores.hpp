// The stores that a program may have: the same tests on each.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "redis/asking.hpp"
#include "redis/redis_server.hpp"
#include "stint/memory_store.hpp"
#include "stint/redis_store.hpp"

namespace stint::inline v0 {

enum class StoreKind : std::uint8_t { memory, redis };

/// One test, once on each store. The server of Redis is the suite's, empty for each test.
class OnEachStore : public ::testing::TestWithParam<StoreKind> {
protected:
    OnEachStore() {
        if (GetParam() == StoreKind::memory) {
            store_ = std::make_unique<MemoryStore>();
        } else {
            static testing_redis::RedisServer server;
            server.cli("FLUSHALL");
            store_ = std::make_unique<RedisStore>(testing_redis::options_for(server.port()));
        }
    }

    [[nodiscard]] Store& store() noexcept { return *store_; }

private:
    std::unique_ptr<Store> store_;
};

inline std::string name_of_store(const ::testing::TestParamInfo<StoreKind>& store) {
    return store.param == StoreKind::memory ? "Memory" : "Redis";
}

}  // namespace stint::inline v0

#define STINT_ON_EACH_STORE(Suite) \
    INSTANTIATE_TEST_SUITE_P(Stores, Suite, ::testing::Values(StoreKind::memory, StoreKind::redis), name_of_store)
