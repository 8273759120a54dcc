// Any number of threads, exactly N admitted: none over, none under. All checks
// carry one time, so that nothing comes back while the threads run.
// STINT_TOKENS sets the number of tokens of the large test; sanitizers run a hundredth.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "oracle/traffic.hpp"
#include "stint/memory_store.hpp"

namespace stint::inline v0::oracle {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kScale = 100;
#else
constexpr std::uint64_t kScale = 1;
#endif

constexpr Instant kNow{Duration{1'773'000'000'123'456}};
constexpr Duration kHour{3'600'000'000};
constexpr std::size_t kBatch = 16;

Limit limit_of(Algorithm algorithm, std::uint64_t limit) {
    LimitSpec spec{.algorithm = algorithm, .limit = limit};
    (algorithm == Algorithm::concurrency ? spec.lease : spec.per) = kHour;
    return Limit::make(spec);
}

std::uint64_t tokens_wanted(std::uint64_t fallback) {
    const char* text = std::getenv("STINT_TOKENS");
    return text == nullptr ? fallback / kScale : std::strtoull(text, nullptr, 10);
}

/// Keys that many threads ask for at once, and how many checks of each were allowed.
class Keys {
public:
    Keys(std::string prefix, std::size_t count, const Limit& limit, std::uint64_t id)
        : prefix_(std::move(prefix)), counter_{limit, id}, allowed_(count) {}

    [[nodiscard]] std::size_t count() const { return allowed_.size(); }
    [[nodiscard]] std::string name(std::size_t key) const { return prefix_ + std::to_string(key); }
    [[nodiscard]] const Counter& counter() const { return counter_; }
    void add_allowed(std::size_t key) { allowed_[key].fetch_add(1, std::memory_order_relaxed); }

    void expect_each_allowed(std::uint64_t wanted) const {
        std::uint64_t over = 0;
        std::uint64_t under = 0;
        for (const auto& count : allowed_) {
            const std::uint64_t got = count.load();
            over += got > wanted ? got - wanted : 0;
            under += got < wanted ? wanted - got : 0;
        }
        EXPECT_EQ(over, 0U) << prefix_;
        EXPECT_EQ(under, 0U) << prefix_;
    }

private:
    std::string prefix_;
    Counter counter_;
    std::vector<std::atomic<std::uint32_t>> allowed_;
};

/// Collects checks and asks them together.
class Batch {
public:
    Batch(Store& store, std::uint64_t first_lease, std::size_t size)
        : store_(store), lease_id_(first_lease), size_(size) {}
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    ~Batch() { send(); }

    void ask(Keys& keys, std::size_t key) {
        const std::size_t i = used_++;
        owners_[i] = {&keys, key};
        names_[i] = keys.name(key);
        asks_[i] = Ask{};
        asks_[i].key = names_[i];
        asks_[i].counters = {&keys.counter(), 1};
        asks_[i].answers = {&answers_[i], 1};
        checks_[i] = Check{};
        checks_[i].asks = {&asks_[i], 1};
        checks_[i].lease_id = ++lease_id_;
        if (used_ == size_) send();
    }

private:
    struct Owner {
        Keys* keys = nullptr;
        std::size_t key = 0;
    };
    void send() {
        store_.decide({checks_.data(), used_}, kNow);
        for (std::size_t i = 0; i < used_; ++i) {
            if (checks_[i].allowed) owners_[i].keys->add_allowed(owners_[i].key);
        }
        used_ = 0;
    }

    Store& store_;
    std::uint64_t lease_id_;
    std::size_t size_;
    std::size_t used_ = 0;
    std::array<Owner, kBatch> owners_;
    std::array<std::string, kBatch> names_;
    std::array<Answer, kBatch> answers_;
    std::array<Ask, kBatch> asks_;
    std::array<Check, kBatch> checks_;
};

/// Runs the work in threads, each with its number.
template <typename Work>
void in_threads(std::size_t count, Work work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
    for (std::thread& thread : threads) thread.join();
}

class Concurrency : public testing::TestWithParam<Algorithm> {};

/// Half of the tokens lie in few hot keys, half in many cold ones, which are inserted while the hot ones are asked
/// for. Each key is asked for at least a quarter more often than it has tokens.
void admit_exactly(Algorithm algorithm, std::uint64_t tokens, std::uint64_t hot_limit) {
    constexpr std::uint64_t kColdLimit = 10;
    constexpr std::size_t kThreads = 8;
    MemoryStoreOptions options;
    options.max_memory = std::size_t{1} << 30;
    options.huge_pages = false;
    MemoryStore store{options};
    Keys hot{"hot", std::max<std::size_t>(tokens / 2 / hot_limit, 1), limit_of(algorithm, hot_limit), 1};
    Keys cold{"cold", tokens / 2 / kColdLimit, limit_of(algorithm, kColdLimit), 2};

    in_threads(kThreads, [&](std::size_t thread) {
        Random random{thread};
        Batch batch{store, thread << 32, thread % 2 == 0 ? kBatch : 1};
        const auto share = [](std::size_t keys, std::uint64_t limit) {
            const std::uint64_t asks_for_each = limit * 5 / 4 + 1;
            return keys * ((asks_for_each + kThreads - 1) / kThreads);
        };
        std::uint64_t hot_left = share(hot.count(), hot_limit);
        std::uint64_t cold_left = share(cold.count(), kColdLimit);
        // All threads walk over the keys in one order, so that they meet at each new one.
        while (hot_left + cold_left > 0) {
            if (random.below(hot_left + cold_left) < hot_left) {
                batch.ask(hot, --hot_left % hot.count());
            } else {
                batch.ask(cold, --cold_left % cold.count());
            }
        }
    });
    hot.expect_each_allowed(hot_limit);
    cold.expect_each_allowed(kColdLimit);
    EXPECT_EQ(store.stats().evictions, 0U);
}

TEST_P(Concurrency, AdmitsExactlyTheLimitOverHotAndColdKeys) {
    // A key's leases and a log's times are walked over, so they are fewer.
    const bool walked = GetParam() == Algorithm::sliding_log || GetParam() == Algorithm::concurrency;
    admit_exactly(GetParam(), tokens_wanted(400'000), walked ? 200 : 5'000);
}

TEST(ConcurrencyLarge, AdmitsExactlyTenMillionTokens) {
    admit_exactly(Algorithm::token_bucket, tokens_wanted(10'000'000), 500'000);
}

TEST_P(Concurrency, Passes10Of100RequestsThatCome20AtATimeToAFreshKey) {
    MemoryStore store;
    Keys keys{"round", 50, limit_of(GetParam(), 10), 1};
    std::atomic<std::uint64_t> asked{0};
    for (std::size_t round = 0; round < keys.count(); ++round) {
        std::atomic<std::size_t> next{0};
        in_threads(20, [&](std::size_t thread) {
            while (next.fetch_add(1) < 100) {
                Batch batch{store, (round << 40) + (thread << 20) + next.load(), 1};
                batch.ask(keys, round);
                asked.fetch_add(1);
            }
        });
    }
    EXPECT_EQ(asked.load(), 100 * keys.count());
    keys.expect_each_allowed(10);
}

INSTANTIATE_TEST_SUITE_P(Store, Concurrency,
                         testing::Values(Algorithm::fixed_window, Algorithm::sliding_window, Algorithm::sliding_log,
                                         Algorithm::token_bucket, Algorithm::concurrency),
                         [](const auto& instance) { return to_string(instance.param); });

/// Two limits of one rule and two rules at once: all of them are consumed or none is.
TEST(ConcurrencyTogether, TwoRulesAdmitWhatTheNarrowerOneDoes) {
    MemoryStore store;
    const std::array<Counter, 2> user{Counter{limit_of(Algorithm::fixed_window, 50), 1},
                                      Counter{limit_of(Algorithm::sliding_window, 60), 2}};
    const std::array<Counter, 1> site{Counter{limit_of(Algorithm::token_bucket, 600), 3}};
    std::array<std::atomic<std::uint64_t>, 20> allowed{};
    std::atomic<std::uint64_t> total{0};
    in_threads(8, [&](std::size_t thread) {
        Random random{thread};
        for (int i = 0; i < 1'000; ++i) {
            const std::size_t key = random.below(allowed.size());
            const std::string name = "user" + std::to_string(key);
            std::array<Answer, 3> answers;
            std::array<Ask, 2> asks{};
            asks[0].key = name;
            asks[0].counters = user;
            asks[0].answers = {answers.data(), 2};
            asks[1].counters = site;
            asks[1].answers = {answers.data() + 2, 1};
            if (i % 2 == 1) std::swap(asks[0], asks[1]);
            Check check;
            check.asks = asks;
            store.decide({&check, 1}, kNow);
            if (!check.allowed) continue;
            allowed[key].fetch_add(1);
            total.fetch_add(1);
        }
    });
    EXPECT_EQ(total.load(), 600U);  // 20 users with 50 each would be 1,000
    for (const auto& count : allowed) EXPECT_LE(count.load(), 50U);

    // What was denied consumed nothing: the wider limits hold exactly what was allowed.
    for (std::size_t key = 0; key < allowed.size(); ++key) {
        const std::string name = "user" + std::to_string(key);
        std::array<Answer, 2> answers;
        Ask ask;
        ask.key = name;
        ask.counters = user;
        ask.cost = 0;
        ask.answers = answers;
        Check check;
        check.asks = {&ask, 1};
        store.decide({&check, 1}, kNow);
        EXPECT_EQ(answers[0].remaining, 50 - allowed[key].load());
        EXPECT_EQ(answers[1].remaining, 60 - allowed[key].load());
    }
}

}  // namespace
}  // namespace stint::inline v0::oracle
