// The memory store against the reference model on every sequence of a few
// steps for tiny limits and periods: each edge is met, not only likely ones.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "oracle/scenario.hpp"
#include "oracle/subject.hpp"
#include "stint/memory_store.hpp"

namespace stint::inline v0::oracle {
namespace {

constexpr std::array<std::int64_t, 4> kTimeSteps{0, 1, 2, -1};
constexpr std::array<std::uint64_t, 3> kCosts{0, 1, 2};
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kLength = 3;
#else
constexpr std::size_t kLength = 4;
#endif
constexpr std::size_t kChoices = kTimeSteps.size() * kCosts.size();

std::vector<LimitSpec> tiny_limits() {
    std::vector<LimitSpec> specs;
    for (const std::uint64_t limit : {1U, 2U}) {
        for (const std::int64_t period : {1, 3}) {
            for (const bool count_denied : {false, true}) {
                LimitSpec spec{.limit = limit, .per = Duration{period}, .count_denied = count_denied};
                spec.algorithm = Algorithm::fixed_window;
                specs.push_back(spec);
                spec.anchor = Anchor::clock;
                specs.push_back(spec);
                spec.anchor = Anchor::first;
                spec.algorithm = Algorithm::sliding_log;
                specs.push_back(spec);
                spec.algorithm = Algorithm::token_bucket;
                specs.push_back(spec);
                spec.capacity = 3 - limit;
                specs.push_back(spec);
                spec.capacity.reset();
                spec.algorithm = Algorithm::sliding_window;
                for (const std::uint32_t buckets : {1U, 2U}) {
                    if (period < buckets) continue;
                    spec.buckets = buckets;
                    spec.mode = WindowMode::strict;
                    specs.push_back(spec);
                    spec.mode = WindowMode::weighted;
                    specs.push_back(spec);
                }
            }
        }
    }
    return specs;
}

Scenario scenario_of(const LimitSpec& spec, std::size_t number) {
    Scenario scenario;
    RuleSetup rule;
    rule.numbers = {{spec}};
    scenario.rules.push_back(std::move(rule));
    scenario.keys = {"k"};
    std::int64_t t_us = 1'000;
    for (std::size_t i = 0; i < kLength; ++i, number /= kChoices) {
        Event event;
        t_us += kTimeSteps[number % kChoices / kCosts.size()];
        event.t_us = t_us;
        event.cost = kCosts[number % kCosts.size()];
        scenario.events.push_back(std::move(event));
    }
    return scenario;
}

TEST(Exhaustive, EverySequenceOfAFewStepsForTinyLimits) {
    std::size_t sequences = 1;
    for (std::size_t i = 0; i < kLength; ++i) sequences *= kChoices;
    const auto make_store = [] {
        return std::make_unique<MemoryStore>(
            MemoryStoreOptions{.max_memory = std::size_t{4} << 20, .huge_pages = false});
    };
    std::size_t steps = 0;
    const auto store = make_store();
    for (const LimitSpec& spec : tiny_limits()) {
        for (std::size_t number = 0; number < sequences; ++number) {
            const Scenario scenario = scenario_of(spec, number);
            steps += kLength;
            if (const auto difference = play(scenario, *store, 0)) {
                FAIL() << smallest_failure(scenario, make_store) << *difference;
            }
        }
    }
    std::cout << steps << " steps, no difference\n";
}

}  // namespace
}  // namespace stint::inline v0::oracle
