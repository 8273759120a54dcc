// A store against the reference model on random limits and traffic.
// STINT_SEED chooses another seed, STINT_STEPS_SCALE (percent) other lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "oracle/model.hpp"
#include "oracle/scenario.hpp"
#include "oracle/store_under_test.hpp"
#include "oracle/subject.hpp"
#include "oracle/traffic.hpp"

namespace stint::inline v0::oracle {
namespace {

constexpr std::size_t kEvents = 60;

std::size_t scaled(std::size_t steps) {
    steps = steps * steps_percent() / 100;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    steps /= 20;
#endif
    const char* percent = std::getenv("STINT_STEPS_SCALE");
    return percent == nullptr ? steps : steps * std::strtoull(percent, nullptr, 10) / 100;
}

/// Plays scenarios until they have made so many steps. One store serves a hundred scenarios.
template <typename MakeScenario>
void compare(std::uint64_t seed, std::size_t steps, MakeScenario make_scenario) {
    seed = seed_or(seed);
    std::cout << "STINT_SEED=" << seed << '\n';
    Random random{seed};
    std::unique_ptr<Store> store;
    std::size_t done = 0;
    for (std::uint64_t number = 0; done < scaled(steps); ++number) {
        if (number % 100 == 0) store = make_store();
        const Scenario scenario = make_scenario(random);
        const auto difference = play(scenario, *store, number);
        if (difference && play(scenario, *make_store(), number)) {
            FAIL() << "STINT_SEED=" << seed << " scenario " << number << '\n'
                   << smallest_failure(scenario, make_store) << "in the whole scenario: " << *difference;
        }
        done += scenario.events.size();
    }
    std::cout << done << " steps, no difference\n";
}

Scenario traffic_on(Random& random, RuleSetup rule, bool steps_back) {
    const LimitSpec& spec = rule.numbers[0][0];
    Scenario scenario;
    scenario.keys = {"a", "b"};
    Timeline times{random, spec, steps_back};
    for (std::size_t i = 0; i < kEvents; ++i) {
        Event event;
        event.act = random.chance(5) ? Act::peek : Act::check;
        event.t_us = times.next();
        event.cost = random_cost(random, spec);
        event.key = random.chance(80) ? 0 : 1;
        scenario.events.push_back(std::move(event));
    }
    scenario.rules.push_back(std::move(rule));
    return scenario;
}

Scenario single_limit(Random& random, Algorithm algorithm, bool steps_back) {
    RuleSetup rule;
    rule.numbers = {{random_limit(random, algorithm)}};
    return traffic_on(random, std::move(rule), steps_back);
}

class EachAlgorithm : public testing::TestWithParam<Algorithm> {};

TEST_P(EachAlgorithm, AnswersAsTheModelThoughTheClockStepsBack) {
    compare(1, 250'000, [](Random& random) { return single_limit(random, GetParam(), true); });
}

TEST_P(EachAlgorithm, WaitsAreTheSmallestThatDo) {
    compare(2, 60'000, [](Random& random) {
        Scenario scenario = single_limit(random, GetParam(), false);
        scenario.probe_waits = true;
        return scenario;
    });
}

TEST_P(EachAlgorithm, RefundsGiveBackWhatWasTaken) {
    compare(3, 60'000, [](Random& random) {
        Scenario scenario = single_limit(random, GetParam(), true);
        for (std::size_t i = 1; i < scenario.events.size(); ++i) {
            if (!random.chance(25)) continue;
            scenario.events[i].act = Act::refund;
            scenario.events[i].target = i - std::min<std::size_t>(i - 1, random.below(6));
        }
        return scenario;
    });
}

TEST_P(EachAlgorithm, OtherNumbersCountOnFromTheSameState) {
    compare(4, 60'000, [](Random& random) {
        RuleSetup rule;
        rule.numbers = {{random_limit(random, GetParam())}};
        rule.numbers.push_back({with_other_numbers(random, rule.numbers[0][0])});
        rule.numbers.push_back({with_other_numbers(random, rule.numbers[0][0])});
        Scenario scenario = traffic_on(random, std::move(rule), true);
        for (Event& event : scenario.events) event.numbers = random.below(3);
        return scenario;
    });
}

INSTANTIATE_TEST_SUITE_P(Store, EachAlgorithm,
                         testing::Values(Algorithm::fixed_window, Algorithm::sliding_window, Algorithm::sliding_log,
                                         Algorithm::token_bucket, Algorithm::concurrency),
                         [](const auto& instance) { return to_string(instance.param); });

TEST(OtherNumbers, AnotherRateKeepsTheTimeOfFullnessToTheMicrosecond) {
    Random random{seed_or(8)};
    const auto store = make_store();
    for (std::uint64_t number = 0; number < scaled(100'000); ++number) {
        LimitSpec before = random_limit(random, Algorithm::token_bucket);
        LimitSpec after = random_limit(random, Algorithm::token_bucket);
        before.limit = std::max<std::uint64_t>(before.limit, 1);
        after.per = before.per;
        before.capacity = after.capacity = before.limit;
        after.limit = before.limit / 50 + 1 + random.below(before.limit);
        const auto look = [&](const LimitSpec& spec, std::uint64_t cost) {
            return Question{std::to_string(number), "k", {spec}, std::nullopt, cost};
        };
        Model model;
        Subject subject{*store};
        const std::int64_t t_us = random.between(0, 1'773'000'000'000'000);
        const std::uint64_t cost = 1 + random.below(before.limit);
        model.check({look(before, cost)}, t_us);
        subject.check({look(before, cost)}, t_us, false, 0);
        const Reply expected = model.check({look(after, 0)}, t_us).rules[0].limits[0];
        const Reply got = subject.check({look(after, 0)}, t_us, false, 0).verdict.rules[0].limits[0];
        ASSERT_NEAR(static_cast<double>(got.reset_after_us), static_cast<double>(expected.reset_after_us), 1.0)
            << to_text(before) << " cost " << cost << "; then " << to_text(after) << " at " << t_us;
    }
}

/// A limit of another kind than those that are there.
void add_limit(Random& random, std::vector<LimitSpec>& limits) {
    const LimitSpec spec =
        random_limit(random, random.pick({Algorithm::fixed_window, Algorithm::sliding_window, Algorithm::sliding_log,
                                          Algorithm::token_bucket, Algorithm::concurrency}));
    const std::string kind = Limit::make(spec).kind();
    for (const LimitSpec& other : limits) {
        if (Limit::make(other).kind() == kind) return;
    }
    limits.push_back(spec);
}

Scenario several_rules(Random& random, bool bans, bool steps_back) {
    Scenario scenario;
    for (std::size_t i = 0; i < 1 + random.below(3); ++i) {
        RuleSetup rule;
        rule.numbers.emplace_back();
        while (rule.numbers[0].size() < 1 + i % 2 + random.below(2)) add_limit(random, rule.numbers[0]);
        if (bans && random.chance(60)) {
            rule.ban = Ban{1 + random.below(4), Duration{random.pick<std::int64_t>({10, 1'000'000, 60'000'000})},
                           Duration{random.pick<std::int64_t>({7, 1'000'000, 3'600'000'000})}, false};
        }
        scenario.rules.push_back(std::move(rule));
    }
    scenario.keys = {"a", "b"};
    const LimitSpec leading = scenario.rules[0].numbers[0][0];
    Timeline times{random, leading, steps_back};
    for (std::size_t i = 1; i <= kEvents; ++i) {
        Event event;
        event.t_us = times.next();
        event.cost = random_cost(random, leading);
        event.key = random.chance(80) ? 0 : 1;
        event.rules.clear();
        for (std::size_t rule = 0; rule < scenario.rules.size(); ++rule) {
            if (random.chance(75)) event.rules.push_back(rule);
        }
        if (event.rules.empty()) event.rules.push_back(0);
        const std::uint64_t act = random.below(20);
        if (act == 0) event.act = Act::peek;
        if (act == 1) event.act = Act::reset;
        if (act >= 2 && act <= 4) {
            event.act = random.pick({Act::refund, Act::release, Act::renew});
            event.target = 1 + random.below(i);
        }
        scenario.events.push_back(std::move(event));
    }
    return scenario;
}

TEST(Together, SeveralRulesConsumeAllOrNothing) {
    compare(5, 200'000, [](Random& random) { return several_rules(random, false, rules_step_back()); });
}

TEST(Together, BansCountTheDenialsOfTheirRule) {
    compare(6, 200'000, [](Random& random) { return several_rules(random, true, rules_step_back()); });
}

TEST(Together, WaitsOfSeveralRulesAndBansAreTheSmallestThatDo) {
    compare(7, 60'000, [](Random& random) {
        Scenario scenario = several_rules(random, random.chance(50), false);
        scenario.probe_waits = true;
        return scenario;
    });
}

TEST(Keys, AreAnyBytesAndNeverShareACounter) {
    Scenario scenario;
    RuleSetup rule;
    rule.numbers = {{LimitSpec{.algorithm = Algorithm::fixed_window, .limit = 1, .per = Duration{60'000'000}}}};
    scenario.rules = {rule, rule};
    scenario.keys = {"",
                     " ",
                     "a b",
                     "a\r\nSET x 1",
                     std::string{"a\0b", 3},
                     std::string{"a\0", 2},
                     "a",
                     "a:b",
                     "a::b",
                     "{",
                     "}",
                     "{}",
                     "}{",
                     "a{b}c",
                     "{same}1",
                     "{same}2",
                     "\xC3\xA9",
                     "e\xCC\x81",
                     "\xF0\x9F\x98\x80",
                     "\xFF\xFE",
                     std::string(10'240, 'k'),
                     std::string(10'239, 'k') + "j",
                     std::string(64, 'p') + "1",
                     std::string(64, 'p') + "2"};
    for (int round = 0; round < 2; ++round) {
        for (std::size_t rule_index = 0; rule_index < 2; ++rule_index) {
            for (std::size_t key = 0; key < scenario.keys.size(); ++key) {
                Event event;
                event.t_us = 1'000'000;
                event.key = key;
                event.rules = {rule_index};
                scenario.events.push_back(std::move(event));
            }
        }
    }
    const auto store = make_store();
    const auto difference = play(scenario, *store, 0);
    EXPECT_FALSE(difference) << *difference;
}

}  // namespace
}  // namespace stint::inline v0::oracle
