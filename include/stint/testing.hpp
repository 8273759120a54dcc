// For tests of programs that use stint: a clock that stands still until it is
// told, and calls that are released together. Nothing here sleeps.
#pragma once

#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "stint/rate_limited.hpp"
#include "stint/time.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0::testing {

/// The time of a memory store under test:
///
///     stint::testing::ManualClock clock;
///     stint::MemoryStore store{{.clock = clock}};
///     ...
///     clock.advance(1min);
///
/// Copies show the same time. Threads: any.
class ManualClock {
public:
    /// Begins on 1 January 2030, 00:00 UTC, if nothing is said.
    explicit ManualClock(Instant start = Instant{std::chrono::seconds{1'893'456'000}})
        : now_(std::make_shared<std::atomic<std::int64_t>>(start.time_since_epoch().count())) {}

    [[nodiscard]] Instant operator()() const noexcept { return Instant{Duration{now_->load()}}; }
    /// A negative `by` steps back, as clocks do; stint gives nothing away then.
    void advance(Duration by) noexcept { now_->fetch_add(by.count()); }
    void set(Instant now) noexcept { now_->store(now.time_since_epoch().count()); }

private:
    std::shared_ptr<std::atomic<std::int64_t>> now_;
};

struct Load {
    std::size_t calls = 100;
    std::size_t threads = 20;  ///< 1 to 1,000; they are released together
};

struct Passed {
    std::size_t allowed = 0;
    std::size_t denied = 0;
    friend bool operator==(const Passed&, const Passed&) = default;
};

/// Makes all calls from all threads, each thread its share. A call is denied that throws RateLimitExceeded or returns
/// something that is false. Errors: what a call throws besides is thrown here, after all have ended.
template <typename Call>
Passed call_together(Load load, const Call& call) {
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> allowed{0};
    std::atomic<std::size_t> denied{0};
    std::exception_ptr failure;
    std::mutex failing;
    std::barrier ready{static_cast<std::ptrdiff_t>(load.threads)};
    const auto passes = [&] {
        if constexpr (std::is_void_v<std::invoke_result_t<const Call&>>) {
            call();
            return true;
        } else {
            return static_cast<bool>(call());
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < load.threads; ++i) {
        threads.emplace_back([&] {
            ready.arrive_and_wait();
            while (next++ < load.calls) {
                try {
                    ++(passes() ? allowed : denied);
                } catch (const RateLimitExceeded&) {
                    ++denied;
                } catch (...) {
                    const std::lock_guard lock{failing};
                    failure = std::current_exception();
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
    return {allowed, denied};
}

}  // namespace stint::inline v0::testing
#pragma GCC visibility pop
