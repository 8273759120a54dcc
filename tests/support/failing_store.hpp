// A store that fails or waits when a test tells it to. Threads: one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stint/memory_store.hpp"

namespace stint {

/// The memory store behind a network that may be down. Like a store with
/// keys, it names its counters by them.
class FailingStore final : public Store {
public:
    StoreError error = StoreError::none;
    bool answers_later = false;

    void decide(std::span<Check> checks, std::optional<Instant> now) noexcept override {
        for (Check& check : checks) check.error = error;
        if (error != StoreError::none) return;
        inner_.decide(checks, now);
        for (const Check& check : checks) {
            for (const Ask& ask : check.asks) {
                for (Answer& answer : ask.answers) answer.counter.key = std::make_shared<const std::string>("key");
            }
        }
    }
    void decide_async(std::span<Check> checks, std::optional<Instant> now, Completion done) noexcept override {
        decide(checks, now);
        if (!answers_later) return done();
        waiting_.push_back(done);
    }
    void answer_waiting() {
        for (const Completion& done : std::exchange(waiting_, {})) done();
    }
    [[nodiscard]] bool can_fail() const noexcept override { return true; }
    void refund(const Limit& limit, const Answer& answer, std::uint64_t lease_id,
                std::optional<Instant> now) noexcept override {
        inner_.refund(limit, answer, lease_id, now);
    }
    bool release(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now) noexcept override {
        return inner_.release(counter, lease_id, now);
    }
    bool renew(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now) noexcept override {
        return inner_.renew(counter, lease_id, now);
    }
    void reset(const Ask& ask) noexcept override { inner_.reset(ask); }
    [[nodiscard]] std::optional<std::string> refusal(const Limit&) const override { return std::nullopt; }
    [[nodiscard]] Instant now() const noexcept override { return Instant{std::chrono::hours{480'000}}; }

private:
    MemoryStore inner_{{.max_memory = 4 << 20, .huge_pages = false}};
    std::vector<Completion> waiting_;
};

}  // namespace stint
