// The embedded store beside its rivals. Each benchmark builds its own store,
// fills it with all keys, and then checks keys at random; the caller's clock
// advances 1 us a check. STINT_BENCH_KEYS sets the number of keys (10^7).
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "rivals.hpp"
#include "workload.hpp"

namespace stint::inline v0::bench {
namespace {

std::size_t key_count() {
    const char* text = std::getenv("STINT_BENCH_KEYS");
    return text == nullptr ? 10'000'000 : std::strtoull(text, nullptr, 10);
}

/// 100 tokens an hour: every key stays live, and nearly every check is granted.
Limit bucket_limit() {
    return Limit::token_bucket(100, std::chrono::hours{1});
}
constexpr Bucket kBucket{36'000'000, 3'600'000'000};

/// A table of 25 bytes for each of `keys` keys.
std::unique_ptr<MemoryStore> make_store(std::size_t keys, std::size_t record_bytes = 0) {
    const std::size_t entries = keys * 25 / 16 + 1'024;
    MemoryStoreOptions options;
    options.max_memory = 2 * entries * 16 + keys * record_bytes + (1 << 20);
    options.max_entries = entries;
    return std::make_unique<MemoryStore>(options);
}

void fill(Store& store, const Limit& limit, std::size_t keys, std::size_t times = 1) {
    Checks checks{limit, 1};
    for (std::size_t n = 0; n < times; ++n) {
        for (std::size_t key = 0; key < keys; ++key) {
            checks.set(0, key);
            checks.decide(store, kStartUs + static_cast<std::int64_t>(n * 1'000'000));
        }
    }
}

/// Checks of uniform keys, `batch` at a time; rates are for one check.
void stint_uniform(benchmark::State& state, const Limit& limit, std::size_t keys, std::size_t batch,
                   std::size_t fill_times, std::size_t record_bytes) {
    static std::unique_ptr<MemoryStore> store;
    if (state.thread_index() == 0) {
        store = make_store(keys, record_bytes);
        fill(*store, limit, keys, fill_times);
    }
    Random random{static_cast<std::uint64_t>(state.thread_index()) + 1};
    Checks checks{limit, batch};
    std::int64_t now = kStartUs + static_cast<std::int64_t>(fill_times * 1'000'000);
    for (auto _ : state) {
        for (std::size_t i = 0; i < batch; ++i) checks.set(i, random.below(keys));
        benchmark::DoNotOptimize(checks.decide(*store, now));
        now += kStepUs * static_cast<std::int64_t>(batch);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch));
    if (state.thread_index() == 0) store.reset();
}

template <typename Rival>
void rival_uniform(benchmark::State& state) {
    const std::size_t keys = key_count();
    static std::unique_ptr<Rival> rival;
    if (state.thread_index() == 0) {
        rival = std::make_unique<Rival>(kBucket, keys);
        for (std::size_t key = 0; key < keys; ++key) rival->check(Key{key}.text(), kStartUs);
    }
    Random random{static_cast<std::uint64_t>(state.thread_index()) + 1};
    std::int64_t now = kStartUs + 1'000'000;
    for (auto _ : state) {
        const Key key{random.below(keys)};
        benchmark::DoNotOptimize(rival->check(key.text(), now));
        now += kStepUs;
    }
    state.SetItemsProcessed(state.iterations());
    if (state.thread_index() == 0) rival.reset();
}

/// One key, granted always or denied always.
void stint_hot(benchmark::State& state, const Limit& limit) {
    MemoryStore store{{.max_memory = 8 << 20}};
    Checks checks{limit, 1};
    checks.set(0, 1);
    std::int64_t now = kStartUs;
    for (auto _ : state) benchmark::DoNotOptimize(checks.decide(store, ++now));
    state.SetItemsProcessed(state.iterations());
}

void std_map_hot(benchmark::State& state) {
    StdMap rival{{1, 1'000'000'000}, 16};
    const Key key{1};
    std::int64_t now = kStartUs;
    for (auto _ : state) benchmark::DoNotOptimize(rival.check(key.text(), ++now));
    state.SetItemsProcessed(state.iterations());
}

void register_uniform(const std::string& name, const Limit& limit, std::size_t keys, std::size_t batch,
                      std::size_t fill_times = 1, std::size_t record_bytes = 0, int threads = 1) {
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) { stint_uniform(state, limit, keys, batch, fill_times, record_bytes); })
        ->Threads(threads)
        ->UseRealTime();
}

void register_all() {
    using std::chrono::hours;
    using std::chrono::seconds;
    const std::size_t keys = key_count();
    const Limit bucket = bucket_limit();
    benchmark::RegisterBenchmark("uniform/absl_fingerprints_64_mutexes", rival_uniform<AbslFingerprints>)
        ->UseRealTime();
    register_uniform("uniform/stint", bucket, keys, 1);
    register_uniform("uniform/stint_batch_64", bucket, keys, 64);
    benchmark::RegisterBenchmark("uniform/absl_strings_64_mutexes", rival_uniform<AbslStrings>)->UseRealTime();
    benchmark::RegisterBenchmark("uniform/std_unordered_map_mutex", rival_uniform<StdMap>)->UseRealTime();
    benchmark::RegisterBenchmark("uniform/tbb_concurrent_hash_map", rival_uniform<TbbMap>)->UseRealTime();

    benchmark::RegisterBenchmark("uniform_two_threads/absl_fingerprints_64_mutexes", rival_uniform<AbslFingerprints>)
        ->Threads(2)
        ->UseRealTime();
    register_uniform("uniform_two_threads/stint_batch_64", bucket, keys, 64, 1, 0, 2);

    benchmark::RegisterBenchmark("hot/std_unordered_map_mutex", std_map_hot);
    benchmark::RegisterBenchmark("hot/stint_granted", stint_hot, Limit::token_bucket(1'000'000, seconds{1}, 1'000'000));
    benchmark::RegisterBenchmark("hot/stint_denied", stint_hot, Limit::token_bucket(1, hours{1}, 1));
    benchmark::RegisterBenchmark("hot/stint_fixed_window_granted", stint_hot,
                                 Limit::fixed_window(kLimitMax, hours{24}));

    // The other algorithms, 10^5 keys, states of many parts.
    constexpr std::size_t kFew = 100'000;
    register_uniform("algorithms/token_bucket", bucket, kFew, 1);
    register_uniform("algorithms/fixed_window", Limit::fixed_window(1'000'000, hours{1}), kFew, 1);
    register_uniform("algorithms/sliding_window_strict", Limit::sliding_window(1'000'000, seconds{60}), kFew, 1, 61,
                     256);
    register_uniform("algorithms/sliding_log_100", Limit::sliding_log(100, seconds{60}), kFew, 1, 100, 1024);
    register_uniform("algorithms/concurrency_10", Limit::concurrency(10, seconds{10}), kFew, 1, 10, 1024);
}

}  // namespace
}  // namespace stint::inline v0::bench

int main(int argc, char** argv) {
    // With one thread alone glibc leaves out the atomic part of a mutex; a
    // limiter that is shared by threads never is alone.
    std::promise<void> end;
    std::thread idle{[wait = end.get_future()] { wait.wait(); }};
    stint::bench::register_all();
    benchmark::Initialize(&argc, argv);
    const bool usable = !benchmark::ReportUnrecognizedArguments(argc, argv);
    if (usable) benchmark::RunSpecifiedBenchmarks();
    end.set_value();
    idle.join();
    return usable ? 0 : 2;
}
