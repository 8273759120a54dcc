// What checks in Redis cost, beside what a script of one's own would: one
// EVALSHA a check that keeps a hash of two fields and returns four. Starts a
// redis-server of its own, on core 0 if there are two; all else runs on core 1.
// Redis' CPU comes from INFO, ours from getrusage, so that a busy machine
// disturbs the ratios little. STINT_BENCH_SECONDS: for each row (2).
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "redis/redis_server.hpp"
#include "resp/reader.hpp"
#include "resp/writer.hpp"
#include "stint/redis_store.hpp"

namespace stint::inline v0::bench {
namespace {

using testing_redis::RedisServer;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kWaiting = 1024;
constexpr std::size_t kManyKeys = 100'000;
constexpr std::size_t kHotKeys = 60;

/// A token bucket as many write it: a hash, four fields back.
constexpr const char* kClassicScript = R"(
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local capacity, rate, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local tokens = math.min(capacity, (tonumber(state[1]) or capacity) + (now - (tonumber(state[2]) or now)) * rate)
local allowed = tokens >= cost
if allowed then tokens = tokens - cost end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
redis.call('EXPIRE', KEYS[1], math.ceil(capacity / rate))
return {allowed and 1 or 0, math.floor(tokens),
        math.ceil((cost - tokens) / rate), math.ceil((capacity - tokens) / rate)}
)";

void pin_to(unsigned core) {
    if (std::thread::hardware_concurrency() < 2) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/// A connection that sends commands and waits for as many replies.
class RawClient {
public:
    explicit RawClient(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int on = 1;
        setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
            throw std::runtime_error{"cannot connect"};
        }
    }
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;
    ~RawClient() { close(fd_); }

    /// Returns: the last reply's text.
    std::string exchange(const std::string& commands, std::size_t replies) {
        for (std::size_t sent = 0; sent < commands.size();) {
            const ssize_t count = ::send(fd_, commands.data() + sent, commands.size() - sent, 0);
            if (count <= 0) throw std::runtime_error{"cannot send"};
            sent += static_cast<std::size_t>(count);
        }
        std::string last;
        while (replies > 0) {
            const std::span<char> room = reader_.prepare(64 << 10);
            const ssize_t count = recv(fd_, room.data(), room.size(), 0);
            if (count <= 0) throw std::runtime_error{"connection lost"};
            reader_.commit(static_cast<std::size_t>(count));
            for (;;) {
                const auto value = reader_.next();
                if (!value) throw std::runtime_error{std::string{value.error().reason}};
                if (*value == nullptr) break;
                if ((*value)->is_error()) throw std::runtime_error{std::string{(*value)->text()}};
                last = (*value)->text();
                --replies;
            }
        }
        return last;
    }

private:
    int fd_;
    resp::Reader reader_;
};

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}
double own_cpu() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}
double info_number(const RedisServer& server, const std::string& section, const std::string& name) {
    const std::string text = server.cli("INFO " + section);
    const std::size_t at = text.find(name + ":");
    if (at == std::string::npos) throw std::runtime_error{"INFO has no " + name};
    return std::strtod(text.c_str() + at + name.size() + 1, nullptr);
}
double redis_cpu(const RedisServer& server) {
    return info_number(server, "cpu", "used_cpu_user") + info_number(server, "cpu", "used_cpu_sys");
}

struct Row {
    double per_second = 0;
    double redis_us = 0;  // CPU for each check
    double own_us = 0;
};

/// `work` does some checks and returns how many.
Row measure(const RedisServer& server, const std::string& name, const std::function<std::size_t()>& work) {
    const char* text = std::getenv("STINT_BENCH_SECONDS");
    const double wanted = text == nullptr ? 2 : std::strtod(text, nullptr);
    work();
    const double redis_before = redis_cpu(server);
    const double own_before = own_cpu();
    const auto start = SteadyClock::now();
    double done = 0;
    double seconds = 0;
    while (seconds < wanted) {
        done += static_cast<double>(work());
        seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
    }
    const double own = own_cpu() - own_before;
    const Row row{done / seconds, (redis_cpu(server) - redis_before) / done * 1e6, own / done * 1e6};
    fmt::print("{:<44} {:>9.0f} /s   Redis {:>6.2f} us   own {:>5.2f} us\n", name, row.per_second, row.redis_us,
               row.own_us);
    std::fflush(stdout);
    return row;
}

/// Pipelines of `kWaiting` commands that one function writes.
std::function<std::size_t()> pipelined(RawClient& client, std::size_t keys,
                                       std::function<void(resp::Writer&, std::size_t key)> write) {
    return [&client, keys, write = std::move(write), random = std::minstd_rand{1}]() mutable {
        std::string commands;
        resp::Writer writer{commands};
        for (std::size_t i = 0; i < kWaiting; ++i) write(writer, random() % keys);
        client.exchange(commands, kWaiting);
        return kWaiting;
    };
}

/// Checks of one limit, half of kWaiting at a time in each of two threads.
class StintWork {
public:
    StintWork(Store& store, std::string rule, const Limit& limit, std::size_t keys)
        : store_(store), rule_(std::move(rule)), counter_{limit, 1}, keys_(keys) {}

    std::size_t operator()() {
        auto other = std::async(std::launch::async, [this] { half(1); });
        half(0);
        other.get();
        return kWaiting * kRounds;
    }
    std::size_t single() {
        std::array<Ask, 1> asks{};
        std::array<Answer, 1> answers{};
        const std::string key = fmt::format("{:06}", random_[0]() % keys_);
        ask(asks[0], key, answers[0]);
        Check check;
        check.asks = asks;
        store_.decide({&check, 1}, std::nullopt);
        require(check);
        return 1;
    }
    /// Each check is asked when the last one is answered, in the store's own thread.
    std::size_t chained();

private:
    static constexpr std::size_t kRounds = 16;

    void ask(Ask& into, const std::string& key, Answer& answer) {
        into.key = key;
        into.rule = rule_;
        into.names = names_;
        into.counters = {&counter_, 1};
        into.answers = {&answer, 1};
    }
    static void require(const Check& check) {
        if (check.error != StoreError::none) throw std::runtime_error{to_string(check.error)};
    }
    void half(std::size_t which) {
        constexpr std::size_t kHalf = kWaiting / 2;
        std::vector<std::string> keys(kHalf);
        std::vector<Ask> asks(kHalf);
        std::vector<Answer> answers(kHalf);
        std::vector<Check> checks(kHalf);
        for (std::size_t round = 0; round < kRounds; ++round) {
            for (std::size_t i = 0; i < kHalf; ++i) {
                keys[i] = fmt::format("{:06}", random_[which]() % keys_);
                ask(asks[i], keys[i], answers[i]);
                checks[i].asks = {&asks[i], 1};
            }
            store_.decide(checks, std::nullopt);
            for (const Check& check : checks) require(check);
        }
    }

    Store& store_;
    std::string rule_;
    Counter counter_;
    std::size_t keys_;
    std::vector<std::string> names_{"user"};
    std::array<std::minstd_rand, 2> random_{std::minstd_rand{1}, std::minstd_rand{2}};
};

std::size_t StintWork::chained() {
    struct Chain {
        StintWork& work;
        std::string key{"000001"};
        Ask ask{};
        Answer answer{};
        Check check{};
        std::size_t left = 1000;
        std::promise<void> done{};

        void go() {
            work.ask(ask, key, answer);
            check.asks = {&ask, 1};
            work.store_.decide_async({&check, 1}, std::nullopt,
                                     {[](void* context) noexcept {
                                          auto* chain = static_cast<Chain*>(context);
                                          if (--chain->left == 0) {
                                              chain->done.set_value();
                                          } else {
                                              chain->go();
                                          }
                                      },
                                      this});
        }
    };
    Chain chain{*this};
    chain.go();
    chain.done.get_future().wait();
    return 1000;
}

void memory_row(RedisServer& server, RedisStore& store, const std::string& name, const Limit& limit, std::size_t grants,
                Duration apart) {
    const std::size_t key_count = grants == 1 ? 100'000 : 10'000;
    (void)server.cli("FLUSHALL");
    const double before = info_number(server, "memory", "used_memory");
    const Counter counter{limit, 2};
    const std::vector<std::string> names{"user"};
    const Instant start{std::chrono::hours{490'000}};
    for (std::size_t first = 0; first < key_count; first += 500) {
        for (std::size_t grant = 0; grant < grants; ++grant) {
            std::vector<std::string> keys(500);
            std::vector<Ask> asks(500);
            std::vector<Answer> answers(500);
            std::vector<Check> checks(500);
            for (std::size_t i = 0; i < 500; ++i) {
                keys[i] = fmt::format("{:06}", first + i);
                asks[i] = {.key = keys[i],
                           .rule = "b",
                           .names = names,
                           .counters = {&counter, 1},
                           .answers = {&answers[i], 1}};
                checks[i].asks = {&asks[i], 1};
            }
            store.decide(checks, start + apart * static_cast<std::int64_t>(grant));
        }
    }
    const double bytes = (info_number(server, "memory", "used_memory") - before) / static_cast<double>(key_count);
    fmt::print("{:<44} {:>6.0f} bytes a key, {:.1f} a grant\n", name, bytes, bytes / static_cast<double>(grants));
}

int run() {
    pin_to(0);
    RedisServer server;
    pin_to(1);
    RawClient raw{server.port()};
    std::string load;
    resp::Writer{load}.command({"SCRIPT", "LOAD", kClassicScript});
    const std::string classic = raw.exchange(load, 1);
    load.clear();
    resp::Writer{load}.command({"SCRIPT", "LOAD", "return 1"});
    const std::string nothing = raw.exchange(load, 1);

    RedisOptions options;
    options.addresses = {{"127.0.0.1", server.port()}};
    options.deadline = std::chrono::seconds{5};
    RedisStore store{options};
    const Limit bucket = Limit::token_bucket(1'000'000, std::chrono::hours{1});
    StintWork many{store, "bench", bucket, kManyKeys};
    StintWork hot{store, "bench", bucket, kHotKeys};
    const Limit one = Limit::fixed_window(1, std::chrono::hours{1});
    StintWork denied{store, "denied", one, kHotKeys};
    options.deny_cache = false;
    RedisStore asking{options};
    StintWork denied_by_server{asking, "denied", one, kHotKeys};

    const auto incr = [](resp::Writer& writer, std::size_t key) {
        writer.command({"INCR", fmt::format("i:{:06}", key)});
    };
    const auto script = [&classic](resp::Writer& writer, std::size_t key) {
        writer.command({"EVALSHA", classic, "1", fmt::format("rate:user:{{{:06}}}", key), "1000000", "277", "1"});
    };
    fmt::print("{} waiting\n", kWaiting);
    measure(server, "INCR", pipelined(raw, kManyKeys, incr));
    const Row classic_many = measure(server, "one EVALSHA a check, 10^5 keys", pipelined(raw, kManyKeys, script));
    const Row ours_many = measure(server, "stint, token bucket, 10^5 keys", std::ref(many));
    const Row classic_hot = measure(server, "one EVALSHA a check, 60 keys", pipelined(raw, kHotKeys, script));
    const Row ours_hot = measure(server, "stint, token bucket, 60 keys", std::ref(hot));
    measure(server, "stint, 60 denied keys, no cache", std::ref(denied_by_server));
    measure(server, "stint, 60 denied keys", std::ref(denied));
    fmt::print("Redis CPU against one EVALSHA a check: 10^5 keys 1/{:.1f}, 60 keys 1/{:.1f}\n\none at a time\n",
               classic_many.redis_us / ours_many.redis_us, classic_hot.redis_us / ours_hot.redis_us);
    const Row bare = measure(server, "EVALSHA return 1", [&] {
        std::string command;
        resp::Writer{command}.command({"EVALSHA", nothing, "0"});
        raw.exchange(command, 1);
        return std::size_t{1};
    });
    const Row chained = measure(server, "stint, asked from its own thread", [&] { return hot.chained(); });
    const Row single = measure(server, "stint, a blocking call", [&] { return hot.single(); });
    fmt::print("against the bare round trip: {:.2f} x and {:.2f} x\n\nmemory (used_memory)\n",
               bare.per_second / chained.per_second, bare.per_second / single.per_second);
    memory_row(server, store, "token bucket", bucket, 1, Duration{0});
    memory_row(server, store, "fixed window", Limit::fixed_window(100, std::chrono::hours{1}), 1, Duration{0});
    memory_row(server, store, "sliding window, 60 parts used", Limit::sliding_window(10'000, std::chrono::seconds{60}),
               60, std::chrono::seconds{1});
    memory_row(server, store, "sliding log of 100", Limit::sliding_log(100, std::chrono::seconds{60}), 100,
               std::chrono::milliseconds{500});
    return 0;
}

}  // namespace
}  // namespace stint::inline v0::bench

int main() {
    return stint::bench::run();
}
