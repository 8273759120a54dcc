// The names of leases, which come back from outside.
#include "engine/lease_token.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "rules/counter_id.hpp"

namespace stint::inline v0::engine {
namespace {

constexpr std::uint64_t kOfLeases = rules::counter_code(Algorithm::concurrency);

LeaseToken token_of(std::uint64_t counter_id, std::size_t counters = 1) {
    LeaseToken token{7, {}};
    for (std::size_t i = 0; i < counters; ++i) {
        token.counters.push_back({{0, counter_id}, std::make_shared<const std::string>("stint:1:r:{k=\x01}")});
    }
    return token;
}

TEST(LeaseToken, ComesBackAsItWas) {
    LeaseToken token = token_of(kOfLeases | 0x1230);
    token.counters.push_back({{1, 2}, nullptr});
    const auto read = LeaseToken::parse(token.to_string());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->id, 7U);
    ASSERT_EQ(read->counters.size(), 2U);
    EXPECT_EQ(read->counters[0].digest, token.counters[0].digest);
    EXPECT_EQ(*read->counters[0].key, *token.counters[0].key);
    EXPECT_EQ(read->counters[1].digest, token.counters[1].digest);
    EXPECT_EQ(read->counters[1].key, nullptr);
}

TEST(LeaseToken, NamesNoCounterUnderAKeyButThoseOfLeases) {
    for (std::uint64_t code = 0; code <= rules::kCounterCodeMask; ++code) {
        EXPECT_EQ(LeaseToken::parse(token_of(0xabc0 | code).to_string()).has_value(), code == kOfLeases) << code;
    }
}

TEST(LeaseToken, NamesNoMoreCountersThanItsBound) {
    EXPECT_TRUE(LeaseToken::parse(token_of(kOfLeases, 64).to_string()));
    EXPECT_FALSE(LeaseToken::parse(token_of(kOfLeases, 65).to_string()));
}

}  // namespace
}  // namespace stint::inline v0::engine
