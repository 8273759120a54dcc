// What rules and engine cost on top of the store: one matching rule among
// 1,000, attributes given, one thread; beside the same check made directly at
// the store.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "stint/stint.hpp"
#include "workload.hpp"

namespace stint::inline v0::bench {
namespace {

constexpr std::size_t kKeys = 100'000;

Limit limit() {
    return Limit::token_bucket(10, std::chrono::seconds{1}, 20);
}

RuleSet thousand_rules() {
    std::vector<Rule> rules;
    for (int i = 0; i < 1'000; ++i) {
        Rule rule{.name = fmt::format("rule-{}", i), .key = {"user"}, .limits = {limit()}};
        rule.match = {{"action", {fmt::format("action-{}", i)}}};
        rules.push_back(rule);
    }
    return RuleSet{rules};
}

void through_engine(benchmark::State& state) {
    MemoryStore store;
    Limiter limiter{store, thousand_rules()};
    Random random{1};
    std::int64_t now = kStartUs;
    for (auto _ : state) {
        const Key key{random.below(kKeys)};
        const Decision decision = limiter.check({{"action", "action-500"}, {"user", key.text()}, {"path", "/a"}},
                                                {.now = Instant{Duration{++now}}});
        benchmark::DoNotOptimize(decision.allowed);
    }
}
BENCHMARK(through_engine);

void at_the_store(benchmark::State& state) {
    MemoryStore store;
    Random random{1};
    Checks checks{limit(), 1};
    std::int64_t now = kStartUs;
    for (auto _ : state) {
        checks.set(0, random.below(kKeys));
        benchmark::DoNotOptimize(checks.decide(store, ++now));
    }
}
BENCHMARK(at_the_store);

}  // namespace
}  // namespace stint::inline v0::bench

BENCHMARK_MAIN();
