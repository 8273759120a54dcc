// A store that fails or waits when a test tells it to. Threads: one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stint/memory_store.hpp"

namespace stint::inline v0 {

/// The memory store behind a network that may be down. Like a store with
/// keys, it names its counters by them.
class FailingStore final : public Store {
public:
    StoreError error = StoreError::none;
    bool answers_later = false;
    std::function<void()> while_deciding{};  ///< called in each decide()

    void decide(std::span<Check> checks, std::optional<Instant> now) noexcept override {
        if (while_deciding) while_deciding();
        for (Check& check : checks) check.error = error;
        if (error != StoreError::none) return;
        inner_.decide(checks, now);
        for (const Check& check : checks) {
            for (const Ask& ask : check.asks) {
                for (std::size_t i = 0; i < ask.counters.size(); ++i) name(ask.counters[i].id, ask.answers[i].counter);
            }
        }
    }
    void decide_async(std::span<Check> checks, std::optional<Instant> now, Completion done) noexcept override {
        decide(checks, now);
        if (!answers_later) return done();
        waiting_.push_back(done);
    }
    void release_async(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now,
                       ChangeAnswer& answer, Completion done) noexcept override {
        answer = release(counter, lease_id, now);
        answers_later ? waiting_.push_back(done) : done();
    }
    void renew_async(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now,
                     ChangeAnswer& answer, Completion done) noexcept override {
        answer = renew(counter, lease_id, now);
        answers_later ? waiting_.push_back(done) : done();
    }
    void reset_async(const Ask& ask, ChangeAnswer& answer, Completion done) noexcept override {
        answer = reset(ask);
        answers_later ? waiting_.push_back(done) : done();
    }
    void answer_waiting() {
        for (const Completion& done : std::exchange(waiting_, {})) done();
    }
    [[nodiscard]] bool can_fail() const noexcept override { return true; }
    void refund(const Limit& limit, const Answer& answer, std::uint64_t lease_id,
                std::optional<Instant> now) noexcept override {
        Answer known = answer;
        known.counter = inner_ref(answer.counter);
        inner_.refund(limit, known, lease_id, now);
    }
    ChangeAnswer release(const CounterRef& counter, std::uint64_t lease_id,
                         std::optional<Instant> now) noexcept override {
        if (error != StoreError::none) return {false, error};
        return inner_.release(inner_ref(counter), lease_id, now);
    }
    ChangeAnswer renew(const CounterRef& counter, std::uint64_t lease_id,
                       std::optional<Instant> now) noexcept override {
        if (error != StoreError::none) return {false, error};
        return inner_.renew(inner_ref(counter), lease_id, now);
    }
    ChangeAnswer reset(const Ask& ask) noexcept override {
        if (error != StoreError::none) return {false, error};
        return inner_.reset(ask);
    }
    [[nodiscard]] std::optional<std::string> refusal(const Limit&) const override { return std::nullopt; }
    [[nodiscard]] Instant now() const noexcept override { return Instant{std::chrono::hours{480'000}}; }

private:
    void name(std::uint64_t counter_id, CounterRef& counter) {
        const auto key = std::make_shared<const std::string>("key " + std::to_string(names_.size()));
        names_[*key] = std::exchange(counter, {{0, counter_id}, key}).digest;
    }
    [[nodiscard]] CounterRef inner_ref(const CounterRef& counter) const {
        const auto found = counter.key == nullptr ? names_.end() : names_.find(*counter.key);
        return {found == names_.end() ? Digest{} : found->second, nullptr};
    }

    std::map<std::string, Digest> names_;
    MemoryStore inner_{{.max_memory = 4 << 20, .huge_pages = false}};
    std::vector<Completion> waiting_;
};

}  // namespace stint::inline v0
