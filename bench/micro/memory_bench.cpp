// Bytes of resident memory for each live key, read from /proc/self/statm.
// Usage: memory_bench [KEYS]; default 10^7 for small states.
#include <fmt/format.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "support/resident_bytes.hpp"
#include "workload.hpp"

namespace stint::inline v0::bench {
namespace {

void measure_here(const char* name, const Limit& limit, std::size_t keys, std::size_t times, std::int64_t step_us,
                  std::size_t record_bytes) {
    const std::size_t before = resident_bytes();
    MemoryStoreOptions options;
    options.max_entries = keys * 25 / 16 + 1'024;
    options.max_memory = 2 * options.max_entries * 16 + keys * record_bytes + (1 << 20);
    MemoryStore store{options};
    Checks checks{limit, 64};
    for (std::size_t n = 0; n < times; ++n) {
        for (std::size_t key = 0; key < keys; key += 64) {
            for (std::size_t i = 0; i < 64; ++i) checks.set(i, key + i);
            checks.decide(store, kStartUs + static_cast<std::int64_t>(n) * step_us);
        }
    }
    const MemoryStoreStats stats = store.stats();
    const double bytes = static_cast<double>(resident_bytes() - before) / static_cast<double>(stats.entries);
    fmt::print("{:<44} {:>10} keys {:>8} evicted {:>8.1f} bytes a key\n", name, stats.entries, stats.evictions, bytes);
}

/// In a process of its own, so that nothing that an earlier store freed is used again.
void measure(const char* name, const Limit& limit, std::size_t keys, std::size_t times, std::int64_t step_us,
             std::size_t record_bytes) {
    const pid_t child = fork();
    if (child == 0) {
        measure_here(name, limit, keys, times, step_us, record_bytes);
        std::fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
}

}  // namespace
}  // namespace stint::inline v0::bench

int main(int argc, char** argv) {
    using namespace stint;
    using std::chrono::seconds;
    const std::size_t keys = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
    bench::measure("token_bucket", Limit::token_bucket(100, seconds{3600}), keys, 1, 1, 0);
    bench::measure("fixed_window", Limit::fixed_window(10, seconds{60}), keys, 1, 1, 0);
    bench::measure("sliding_window, 60 parts used", Limit::sliding_window(1'000'000, seconds{60}), keys / 10, 61,
                   1'000'000, 300);
    bench::measure("sliding_log, 100 units", Limit::sliding_log(100, seconds{60}), keys / 10, 100, 1'000, 700);
    bench::measure("concurrency, 10 leases", Limit::concurrency(10, seconds{3600}), keys / 10, 10, 1'000, 600);
    return 0;
}
