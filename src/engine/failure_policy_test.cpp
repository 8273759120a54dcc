// A store that fails when it is told to: what each rule's on_store_failure
// makes of it, and that nothing of it stays when the store is back.
#include <gtest/gtest.h>

#include <future>
#include <map>
#include <string>
#include <vector>

#include "stint/http_headers.hpp"
#include "stint/limiter.hpp"
#include "stint/rule.hpp"
#include "support/failing_store.hpp"
#include "support/resident_bytes.hpp"

namespace stint::inline v0 {
namespace {

using std::chrono::seconds;

constexpr Instant kStart{Duration{1'700'000'000'000'000}};

Rule rule_of(std::string name, OnStoreFailure policy, std::uint64_t limit) {
    Rule rule;
    rule.match = {{name, {"*"}}};
    rule.name = std::move(name);
    rule.key = {"user"};
    rule.limits = {Limit::fixed_window(limit, seconds{60})};
    rule.on_store_failure = policy;
    return rule;
}

class FailurePolicyTest : public testing::Test {
protected:
    Limiter make(std::vector<Rule> rules, std::uint64_t instances = 1) {
        return {store_, RuleSet{std::move(rules)}, {.instances = instances, .local = {.max_memory = 4 << 20}}};
    }
    static Decision ask(Limiter& limiter, std::vector<std::string> rules, std::uint64_t cost = 1) {
        std::vector<Attribute> attributes{{"user", "u"}};
        for (const std::string& rule : rules) attributes.push_back({rule, "x"});
        return limiter.check(attributes, {.cost = cost, .now = kStart});
    }

    FailingStore store_;
};

TEST_F(FailurePolicyTest, AllowLetsEverythingPassMarkedAndCounted) {
    Limiter limiter = make({rule_of("a", OnStoreFailure::allow, 1)});
    store_.error = StoreError::timeout;
    for (int i = 0; i < 5; ++i) {
        const Decision decision = ask(limiter, {"a"});
        EXPECT_TRUE(decision.allowed);
        EXPECT_EQ(decision.source, Source::failure_policy);
        EXPECT_TRUE(http_headers(decision, {.rate_limit = true, .x_rate_limit = true}).empty());
    }
    EXPECT_EQ(limiter.stats()[0].store_failures, 5U);
    EXPECT_EQ(limiter.stats()[0].allowed, 5U);
}

TEST_F(FailurePolicyTest, TheFirstKeysOfAnOutageTouchLittleMemory) {
    Limiter limiter{store_, RuleSet{{rule_of("l", OnStoreFailure::local, 1)}}};
    store_.error = StoreError::timeout;
    const std::size_t before = resident_bytes();
    for (int i = 0; i < 200; ++i) {
        const std::string user = std::to_string(i);
        EXPECT_EQ(limiter.check({{"l", "x"}, {"user", user}}).source, Source::local);
    }
    EXPECT_LT(resident_bytes(), before + (std::size_t{16} << 20));  // the table alone has 32 MiB
}

TEST_F(FailurePolicyTest, DenyRefusesWithAWaitAndNoNumbers) {
    Limiter limiter = make({rule_of("d", OnStoreFailure::deny, 100)});
    store_.error = StoreError::unavailable;
    const Decision decision = ask(limiter, {"d"});
    EXPECT_FALSE(decision.allowed);
    EXPECT_EQ(decision.source, Source::failure_policy);
    EXPECT_EQ(decision.denied_by(), std::vector<std::string_view>{"d"});
    const auto fields = http_headers(decision, {.rate_limit = true, .x_rate_limit = true});
    ASSERT_EQ(fields.size(), 1U);
    EXPECT_EQ(fields[0], (std::pair<std::string, std::string>{"Retry-After", "1"}));
}

TEST_F(FailurePolicyTest, WhatNobodyCountedHasNoNumbersAndDoesNotDecide) {
    Limiter limiter = make({rule_of("a", OnStoreFailure::allow, 1), rule_of("l", OnStoreFailure::local, 9)});
    EXPECT_EQ(ask(limiter, {"a", "l"}).limits[0].source, Source::store);
    store_.error = StoreError::timeout;
    const Decision decision = ask(limiter, {"a", "l"});
    EXPECT_TRUE(decision.allowed);
    EXPECT_EQ(decision.rule, "l");
    EXPECT_EQ(decision.remaining, 8U);
    ASSERT_EQ(decision.limits.size(), 2U);
    EXPECT_EQ(decision.limits[0].source, Source::failure_policy);
    EXPECT_EQ(decision.limits[0].remaining, 0U);
    EXPECT_EQ(decision.limits[1].source, Source::local);
    EXPECT_EQ(ask(limiter, {"a"}).rule, "a") << "where there is no other";
}

TEST_F(FailurePolicyTest, LocalCountsThisInstancesShareRoundedUp) {
    // (limit, instances) -> share
    const std::map<std::pair<std::uint64_t, std::uint64_t>, int> shares{
        {{10, 1}, 10}, {{10, 3}, 4}, {{10, 10}, 1}, {{10, 100}, 1}, {{9, 3}, 3}};
    for (const auto& [numbers, share] : shares) {
        store_.error = StoreError::timeout;
        Limiter limiter = make({rule_of("l", OnStoreFailure::local, numbers.first)}, numbers.second);
        int allowed = 0;
        for (int i = 0; i < 12; ++i) {
            const Decision decision = ask(limiter, {"l"});
            EXPECT_EQ(decision.source, Source::local);
            EXPECT_EQ(decision.limit, static_cast<std::uint64_t>(share));
            allowed += decision.allowed ? 1 : 0;
        }
        EXPECT_EQ(allowed, share) << numbers.first << " on " << numbers.second;
    }
}

TEST_F(FailurePolicyTest, LocalSharesABucketsCapacityAsItsRate) {
    Rule rule = rule_of("b", OnStoreFailure::local, 1);
    rule.limits = {Limit::token_bucket(100, seconds{1}, 7)};
    Limiter limiter = make({rule}, 2);
    store_.error = StoreError::timeout;
    EXPECT_EQ(ask(limiter, {"b"}, 4).remaining, 0U);
    // 50 a second: a token each 20 ms.
    EXPECT_EQ(ask(limiter, {"b"}).retry_after, std::chrono::milliseconds{20});
}

TEST_F(FailurePolicyTest, OverTheLimitIsNoFailure) {
    Limiter limiter = make({rule_of("l", OnStoreFailure::local, 2)});
    EXPECT_TRUE(ask(limiter, {"l"}).allowed);
    EXPECT_TRUE(ask(limiter, {"l"}).allowed);
    const Decision decision = ask(limiter, {"l"});
    EXPECT_FALSE(decision.allowed);
    EXPECT_EQ(decision.source, Source::store);
    EXPECT_EQ(limiter.stats()[0].store_failures, 0U);
}

TEST_F(FailurePolicyTest, ADenyingRuleLeavesTheLocalOnesUntouched) {
    Limiter limiter = make({rule_of("l", OnStoreFailure::local, 1), rule_of("d", OnStoreFailure::deny, 1),
                            rule_of("a", OnStoreFailure::allow, 1)});
    store_.error = StoreError::timeout;
    EXPECT_FALSE(ask(limiter, {"l", "d", "a"}).allowed);
    const Decision both = ask(limiter, {"l", "a"});
    EXPECT_TRUE(both.allowed) << "the refused check had consumed";
    EXPECT_EQ(both.source, Source::local);
    EXPECT_FALSE(ask(limiter, {"l", "a"}).allowed);
}

TEST_F(FailurePolicyTest, ShadowsNeverDenyWhateverTheirPolicy) {
    Rule shadow = rule_of("s", OnStoreFailure::deny, 1);
    shadow.shadow = true;
    Limiter limiter = make({rule_of("l", OnStoreFailure::local, 5), shadow});
    store_.error = StoreError::timeout;
    const Decision decision = ask(limiter, {"l", "s"});
    EXPECT_TRUE(decision.allowed);
    EXPECT_EQ(decision.source, Source::local);
}

TEST_F(FailurePolicyTest, TheStoreIsAskedAgainAndItsCountsAreItsOwn) {
    Limiter limiter = make({rule_of("l", OnStoreFailure::local, 2)});
    EXPECT_EQ(ask(limiter, {"l"}).remaining, 1U);
    store_.error = StoreError::timeout;
    EXPECT_EQ(ask(limiter, {"l"}).remaining, 1U);
    EXPECT_EQ(ask(limiter, {"l"}).remaining, 0U);
    store_.error = StoreError::none;
    const Decision back = ask(limiter, {"l"});
    EXPECT_TRUE(back.allowed);
    EXPECT_EQ(back.remaining, 0U);
    EXPECT_EQ(back.source, Source::store);
}

TEST_F(FailurePolicyTest, RefundsGoWhereTheyWereTaken) {
    Limiter limiter = make({rule_of("l", OnStoreFailure::local, 1)});
    store_.error = StoreError::timeout;
    Decision taken = ask(limiter, {"l"});
    ASSERT_TRUE(taken.allowed);
    store_.error = StoreError::none;
    EXPECT_TRUE(limiter.refund(taken, kStart));
    EXPECT_TRUE(ask(limiter, {"l"}).allowed) << "the store had nothing to give back";
    store_.error = StoreError::timeout;
    EXPECT_TRUE(ask(limiter, {"l"}).allowed) << "the refund did not reach the local count";
}

TEST_F(FailurePolicyTest, LeasesLentLocallyAreReleasedLocally) {
    Rule rule = rule_of("c", OnStoreFailure::local, 1);
    rule.limits = {Limit::concurrency(1, seconds{60})};
    Limiter limiter = make({rule});
    store_.error = StoreError::timeout;
    const Decision held = ask(limiter, {"c"});
    ASSERT_FALSE(held.lease.empty());
    EXPECT_FALSE(ask(limiter, {"c"}).allowed);
    store_.error = StoreError::none;
    EXPECT_TRUE(limiter.release(held.lease, kStart));
    store_.error = StoreError::timeout;
    EXPECT_TRUE(ask(limiter, {"c"}).allowed);
}

TEST_F(FailurePolicyTest, AnAsynchronousCheckOutlivesItsCallersBytes) {
    Limiter limiter = make({rule_of("l", OnStoreFailure::local, 1)});
    store_.error = StoreError::timeout;
    store_.answers_later = true;
    std::vector<Decision> decisions;
    for (int i = 0; i < 2; ++i) {
        std::string user(100, 'u');
        const std::vector<Attribute> attributes{{"l", "x"}, {"user", user}};
        limiter.check_async(attributes, {.now = kStart},
                            [&](Decision decision) { decisions.push_back(std::move(decision)); });
        user.assign(100, 'v');
    }
    EXPECT_TRUE(decisions.empty());
    store_.answer_waiting();
    ASSERT_EQ(decisions.size(), 2U);
    EXPECT_TRUE(decisions[0].allowed);
    EXPECT_FALSE(decisions[1].allowed);
}

TEST_F(FailurePolicyTest, AHandlerMayPutOtherRulesInForce) {
    Limiter limiter = make({rule_of("l", OnStoreFailure::local, 1)});
    store_.answers_later = true;
    const std::vector<Attribute> attributes{{"l", "x"}, {"user", "u"}};
    limiter.check_async(attributes, {.now = kStart}, [&](const Decision&) { limiter.reload(RuleSet{}); });
    store_.answer_waiting();
    EXPECT_TRUE(limiter.rules().rules().empty());
}

TEST_F(FailurePolicyTest, AReloadWaitsForNoCheckThatTheStoreStillHas) {
    Limiter limiter = make({rule_of("l", OnStoreFailure::local, 1)});
    store_.answers_later = true;
    const std::vector<Attribute> attributes{{"l", "x"}, {"user", "u"}};
    std::vector<std::string_view> rules;
    for (int i = 0; i < 2; ++i) {
        limiter.check_async(attributes, {.now = kStart}, [&](const Decision& decision) {
            rules.push_back(decision.rule);
            limiter.reload(RuleSet{});
        });
    }
    limiter.reload(RuleSet{});
    store_.answer_waiting();
    EXPECT_EQ(rules, (std::vector<std::string_view>{"l", "l"}));

    limiter.reload(RuleSet{{rule_of("l", OnStoreFailure::local, 1)}});
    store_.while_deciding = [&] { limiter.reload(RuleSet{}); };
    EXPECT_EQ(ask(limiter, {"l"}).rule, "l");
    EXPECT_TRUE(limiter.rules().rules().empty());
}

TEST_F(FailurePolicyTest, ALimiterGoesOnlyWhenItsLastCheckIsAnswered) {
    auto limiter = std::make_unique<Limiter>(store_, RuleSet{{rule_of("l", OnStoreFailure::local, 1)}});
    store_.answers_later = true;
    bool told = false;
    const std::vector<Attribute> attributes{{"l", "x"}, {"user", "u"}};
    limiter->check_async(attributes, {.now = kStart}, [&](const Decision& decision) { told = decision.allowed; });
    std::future<void> gone = std::async(std::launch::async, [&] { limiter.reset(); });
    EXPECT_EQ(gone.wait_for(std::chrono::milliseconds{50}), std::future_status::timeout);
    store_.answer_waiting();
    gone.get();
    EXPECT_TRUE(told);
}

TEST_F(FailurePolicyTest, ChangesSayThatTheStoreFailed) {
    Rule rule = rule_of("c", OnStoreFailure::local, 1);
    rule.limits = {Limit::concurrency(1, seconds{60})};
    Limiter limiter = make({rule});
    const Decision held = ask(limiter, {"c"});
    const std::vector<Attribute> key{{"user", "u"}};
    store_.error = StoreError::timeout;
    for (const ChangeAnswer answer :
         {limiter.renew(held.lease, kStart), limiter.release(held.lease, kStart), limiter.reset("c", key)}) {
        EXPECT_FALSE(answer);
        EXPECT_EQ(answer.error, StoreError::timeout);
    }
    store_.error = StoreError::none;
    EXPECT_TRUE(limiter.renew(held.lease, kStart));
    EXPECT_TRUE(limiter.reset("c", key));
    const ChangeAnswer unknown = limiter.reset("other", key);
    EXPECT_FALSE(unknown);
    EXPECT_EQ(unknown.error, StoreError::none);
}

TEST_F(FailurePolicyTest, AsynchronousChangesOutliveTheirCallersBytes) {
    Rule rule = rule_of("c", OnStoreFailure::local, 1);
    rule.limits = {Limit::concurrency(1, seconds{60})};
    auto limiter = std::make_unique<Limiter>(store_, RuleSet{{rule}});
    std::string lease = ask(*limiter, {"c"}).lease;
    store_.answers_later = true;
    std::vector<bool> answers;
    const auto keep = [&](ChangeAnswer answer) { answers.push_back(answer.done); };
    limiter->renew_async(lease, kStart, keep);
    limiter->release_async(lease, kStart, keep);
    limiter->release_async(lease, kStart, keep);
    lease.assign(lease.size(), '0');
    std::string user = "u";
    const std::vector<Attribute> key{{"user", user}};
    EXPECT_TRUE(limiter->reset_async("c", key, keep));
    EXPECT_FALSE(limiter->reset_async("d", key, keep));
    user = "v";
    EXPECT_TRUE(answers.empty());
    std::future<void> gone = std::async(std::launch::async, [&] { limiter.reset(); });
    EXPECT_EQ(gone.wait_for(std::chrono::milliseconds{50}), std::future_status::timeout);
    store_.answer_waiting();
    gone.get();
    EXPECT_EQ(answers, (std::vector<bool>{true, true, false, true}));
}

TEST_F(FailurePolicyTest, AHandlerOfAChangeMayPutOtherRulesInForce) {
    Limiter limiter = make({rule_of("l", OnStoreFailure::local, 1)});
    const std::vector<Attribute> key{{"user", "u"}};
    EXPECT_TRUE(limiter.reset_async("l", key, [&](ChangeAnswer) { limiter.reload(RuleSet{}); }));
    EXPECT_TRUE(limiter.rules().rules().empty());
}

TEST_F(FailurePolicyTest, AShareThatCannotBeIsAConfigurationError) {
    Rule rule = rule_of("b", OnStoreFailure::local, 1);
    rule.limits = {Limit::token_bucket(3, std::chrono::hours{24 * 36'500}, 4)};
    try {
        make({rule}, 3);  // one token in a hundred years, and two of them
        ADD_FAILURE() << "it was taken";
    } catch (const ConfigError& error) {
        EXPECT_NE(std::string{error.what()}.find("rule b: on_store_failure: local: the share of one of 3 instances"),
                  std::string::npos)
            << error.what();
    }
    rule.on_store_failure = OnStoreFailure::deny;
    EXPECT_NO_THROW(make({rule}, 3));
}

TEST_F(FailurePolicyTest, NoInstancesAreAConfigurationError) {
    EXPECT_THROW(make({}, 0), ConfigError);
}

}  // namespace
}  // namespace stint::inline v0
