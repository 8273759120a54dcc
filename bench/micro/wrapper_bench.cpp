// What a limit declared in code adds to a bare check: the same rule asked about
// the same keys, by hand and by each form of docs/cpp.md; and what a function
// costs without any limit. One thread, 1,000 hot keys.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>

#include "stint/stint.hpp"

namespace stint::inline v0::bench {
namespace {

constexpr std::uint64_t kKeys = 1'000;
constexpr std::uint64_t kPlenty = 1'000'000'000;  // nothing is ever denied

// A function that does next to nothing, and that no compiler sees through.
[[gnu::noinline]] int work(std::uint64_t user) {
    benchmark::DoNotOptimize(user);
    return 1;
}
std::uint64_t user_of(std::uint64_t user) {
    return user;
}

constexpr Quota kQuota = per_second(kPlenty).token_bucket();

struct Fixture {
    MemoryStore store{{.max_memory = std::size_t{4} << 20, .huge_pages = false}};
    Limiter limiter{store, RuleSet{}};
    std::uint64_t next = 0;
    std::uint64_t user() noexcept { return ++next % kKeys; }
};

void no_limit(benchmark::State& state) {
    Fixture f;
    for (auto _ : state) benchmark::DoNotOptimize(work(f.user()));
}
BENCHMARK(no_limit);

void bare_check(benchmark::State& state) {
    Fixture f;
    const RuleHandle rule = f.limiter.declare({.name = "work", .key = {"user"}, .limits = {kQuota.to_limit()}});
    for (std::uint64_t i = 0; i < kKeys; ++i) (void)check_key(f.limiter, rule, i);
    for (auto _ : state) {
        const std::uint64_t user = f.user();
        const Decision decision = check_key(f.limiter, rule, user);
        if (decision.allowed) benchmark::DoNotOptimize(work(user));
    }
}
BENCHMARK(bare_check);

void wrapped(benchmark::State& state) {
    Fixture f;
    auto call = rate_limited<"work">(f.limiter, kQuota, &work, &user_of);
    for (std::uint64_t i = 0; i < kKeys; ++i) call(i);
    for (auto _ : state) benchmark::DoNotOptimize(call(f.user()));
}
BENCHMARK(wrapped);

void wrapped_with_a_result(benchmark::State& state) {
    Fixture f;
    auto call = try_rate_limited<"work">(f.limiter, kQuota, &work, &user_of);
    for (std::uint64_t i = 0; i < kKeys; ++i) (void)call(i);
    for (auto _ : state) benchmark::DoNotOptimize(*call(f.user()));
}
BENCHMARK(wrapped_with_a_result);

inline constexpr RuleTable kRules{{{.name = "work", .key = {"user"}, .limits = {kQuota}}}};

int guarded(Limiter& limiter, std::uint64_t user) {
    STINT_RATE_LIMIT(limiter, user, kRules, "work");
    return work(user);
}

void by_the_macro(benchmark::State& state) {
    Fixture f;
    for (std::uint64_t i = 0; i < kKeys; ++i) guarded(f.limiter, i);
    for (auto _ : state) benchmark::DoNotOptimize(guarded(f.limiter, f.user()));
}
BENCHMARK(by_the_macro);

const std::array<std::string, kKeys>& names() {
    static const auto kNames = [] {
        std::array<std::string, kKeys> made;
        for (std::size_t i = 0; i < kKeys; ++i) made[i] = std::to_string(i);
        return made;
    }();
    return kNames;
}

void bare_check_by_attributes(benchmark::State& state) {
    Fixture f;
    f.limiter.reload(RuleSet{kRules.rules()});
    for (auto _ : state) {
        const std::uint64_t user = f.user();
        const Decision decision = f.limiter.check({{"action", "work"}, {"user", names()[user]}});
        if (decision.allowed) benchmark::DoNotOptimize(work(user));
    }
}
BENCHMARK(bare_check_by_attributes);

void wrapped_by_attributes(benchmark::State& state) {
    Fixture f;
    f.limiter.reload(RuleSet{kRules.rules()});
    auto call = rate_limited(f.limiter, &work, [](std::uint64_t user) {
        return std::array{Attribute{"action", "work"}, Attribute{"user", names()[user]}};
    });
    for (std::uint64_t i = 0; i < kKeys; ++i) call(i);
    for (auto _ : state) benchmark::DoNotOptimize(call(f.user()));
}
BENCHMARK(wrapped_by_attributes);

void denied_by_an_exception(benchmark::State& state) {
    Fixture f;
    auto call = rate_limited<"closed">(f.limiter, per_minute(0), &work, &user_of);
    for (auto _ : state) {
        try {
            call(f.user());
        } catch (const RateLimitExceeded& denial) {
            benchmark::DoNotOptimize(&denial);
        }
    }
}
BENCHMARK(denied_by_an_exception);

void denied_by_a_result(benchmark::State& state) {
    Fixture f;
    auto call = try_rate_limited<"closed">(f.limiter, per_minute(0), &work, &user_of);
    for (auto _ : state) benchmark::DoNotOptimize(call(f.user()).has_value());
}
BENCHMARK(denied_by_a_result);

}  // namespace
}  // namespace stint::inline v0::bench

BENCHMARK_MAIN();
