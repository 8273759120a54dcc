#include "measure.hpp"

#include <algorithm>
#include <array>

#include "stint/memory_store.hpp"

namespace accuracy {
namespace {

stint::Limit window(std::uint32_t buckets, stint::WindowMode mode) {
    stint::LimitSpec spec;
    spec.limit = kLimit;
    spec.per = stint::Duration{kPeriodUs};
    spec.buckets = buckets;
    spec.mode = mode;
    return stint::Limit::make(spec);
}

/// Returns: the most of these times in any stretch [s, s + period).
std::size_t most_in_a_period(const std::vector<std::int64_t>& times) {
    std::size_t most = 0;
    std::size_t first = 0;
    for (std::size_t last = 0; last < times.size(); ++last) {
        while (times[last] - times[first] >= kPeriodUs) ++first;
        most = std::max(most, last - first + 1);
    }
    return most;
}

}  // namespace

std::vector<Contender> contenders() {
    const stint::Duration period{kPeriodUs};
    using stint::Limit;
    using stint::WindowMode;
    return {
        {"sliding_log", "1", Limit::sliding_log(kLimit, period)},
        {"sliding_window strict, 60 parts", "1", window(60, WindowMode::strict)},
        {"sliding_window weighted, 60 parts", "2", window(60, WindowMode::weighted)},
        {"sliding_window weighted, 1 part", "2", window(1, WindowMode::weighted)},
        {"fixed_window, anchor first", "2", Limit::fixed_window(kLimit, period)},
        {"fixed_window, anchor clock", "2", Limit::fixed_window(kLimit, period, stint::Anchor::clock)},
        {"token_bucket, capacity N", "2", Limit::token_bucket(kLimit, period)},
        {"token_bucket, capacity N / 10", "1.1", Limit::token_bucket(kLimit, period, kLimit / 10)},
    };
}

Measured measure(const stint::Limit& limit, const Traffic& traffic) {
    stint::MemoryStoreOptions options;
    options.max_memory = std::size_t{1} << 20;
    options.huge_pages = false;
    stint::MemoryStore store{options};
    const std::array<stint::Counter, 1> counters{stint::Counter{limit, 1}};
    std::vector<std::int64_t> allowed;

    std::mt19937_64 random{42};
    const auto send = [&](std::int64_t t_us) -> std::int64_t {
        std::array<stint::Answer, 1> answers;
        std::array<stint::Ask, 1> asks;
        asks[0].key = "client";
        asks[0].counters = counters;
        asks[0].answers = answers;
        std::array<stint::Check, 1> checks;
        checks[0].asks = asks;
        store.decide(checks, stint::Instant{stint::Duration{kStartUs + t_us}});
        if (checks[0].allowed) allowed.push_back(t_us);
        return answers[0].retry_after.count();
    };
    traffic.play(send, random);
    return {allowed.size(), static_cast<double>(most_in_a_period(allowed)) / static_cast<double>(kLimit)};
}

}  // namespace accuracy
