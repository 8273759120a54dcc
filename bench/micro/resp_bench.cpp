// What reading costs on both ends of a pipelined connection: a client's 64
// replies, a server's 64 commands, each as they come from one read of a socket.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "resp/reader.hpp"
#include "resp/writer.hpp"

namespace stint::inline v0::resp {
namespace {

constexpr int kPipelined = 64;

void read_all(benchmark::State& state, const std::string& bytes, Input input) {
    Reader reader{{.input = input}};
    std::int64_t read = 0;
    for (auto _ : state) {
        std::copy(bytes.begin(), bytes.end(), reader.prepare(bytes.size()).begin());
        reader.commit(bytes.size());
        for (;;) {
            const auto value = reader.next();
            if (!value || *value == nullptr) break;
            benchmark::DoNotOptimize((*value)->type());
            ++read;
        }
    }
    if (read != state.iterations() * kPipelined) state.SkipWithError("not all was read");
    state.SetItemsProcessed(read);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

void integer_replies(benchmark::State& state) {
    std::string bytes;
    Writer writer{bytes};
    for (int i = 0; i < kPipelined; ++i) writer.integer(1'000'000 + i);
    read_all(state, bytes, Input::replies);
}
BENCHMARK(integer_replies);

void bulk_replies(benchmark::State& state) {
    std::string bytes;
    Writer writer{bytes};
    for (int i = 0; i < kPipelined; ++i) writer.bulk_string(std::string(40, 'x'));
    read_all(state, bytes, Input::replies);
}
BENCHMARK(bulk_replies);

void commands(benchmark::State& state) {
    std::string bytes;
    Writer writer{bytes};
    for (int i = 0; i < kPipelined; ++i) writer.command({"GET", "key:" + std::to_string(1'000'000 + i)});
    read_all(state, bytes, Input::commands);
}
BENCHMARK(commands);

void write_commands(benchmark::State& state) {
    std::string bytes;
    for (auto _ : state) {
        bytes.clear();
        Writer writer{bytes};
        for (int i = 0; i < kPipelined; ++i) writer.command({"GET", "key:1000000"});
        benchmark::DoNotOptimize(bytes.data());
    }
    state.SetItemsProcessed(state.iterations() * kPipelined);
}
BENCHMARK(write_commands);

}  // namespace
}  // namespace stint::inline v0::resp

BENCHMARK_MAIN();
