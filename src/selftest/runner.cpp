#include "selftest/runner.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "stint/error.hpp"

namespace stint::inline v0::selftest {
namespace {

std::string text_of(Duration wait) {
    return wait == kNever ? "never" : fmt::format("{}", wait.count());
}

/// Writes the differences of one step.
class Comparison {
public:
    Comparison(const Vector& vector, std::size_t step, std::ostream& out) : vector_(vector), step_(step), out_(out) {}

    void field(std::string_view name, const std::string& expected, const std::string& got) {
        if (expected == got) return;
        ++mismatches_;
        out_ << fmt::format("{}: step {}: {}: expected {}, got {}\n", vector_.id, step_, name, expected, got);
    }
    [[nodiscard]] std::size_t mismatches() const { return mismatches_; }

private:
    const Vector& vector_;
    std::size_t step_;
    std::ostream& out_;
    std::size_t mismatches_ = 0;
};

/// The counters of one vector in a store.
class Counters {
public:
    Counters(Store& store, Limit limit, std::uint64_t id)
        : store_(store), counter_{std::move(limit), id}, rule_(fmt::format("vector-{}", id)) {}
    Counters(const Counters&) = delete;
    Counters& operator=(const Counters&) = delete;
    /// A store that others use as well keeps nothing of it. One that has failed is not asked again for each key.
    ~Counters() {
        if (failed_) return;
        for (const std::string& key : keys_) store_.reset(ask(key));
    }

    /// Returns: why the store did not decide, or none; then `answer` and `allowed` are its answer.
    StoreError check(const Step& step, Answer& answer, bool& allowed) {
        std::array<Ask, 1> asks{ask(*keys_.insert(step.key).first)};
        asks[0].cost = std::min(step.cost, kCostMax);
        asks[0].answers = {&answer, 1};
        std::array<Check, 1> checks{};
        checks[0].asks = asks;
        store_.decide(checks, step.time);
        allowed = checks[0].allowed;
        failed_ = checks[0].error != StoreError::none;
        return checks[0].error;
    }

private:
    [[nodiscard]] Ask ask(std::string_view key) const {
        Ask ask;
        ask.key = key;
        ask.rule = rule_;
        ask.names = kKeyNames;
        ask.counters = {&counter_, 1};
        return ask;
    }

    inline static const std::array<std::string, 1> kKeyNames{"key"};

    Store& store_;
    Counter counter_;
    std::string rule_;
    std::set<std::string> keys_;
    bool failed_ = false;
};

}  // namespace

Result<void> run_vector(const Vector& vector, Store& store, std::uint64_t counter_id, SelftestResult& result,
                        std::ostream& out) {
    std::optional<Counters> counters;
    try {
        counters.emplace(store, Limit::make(vector.limit), counter_id);
    } catch (const ConfigError& error) {
        return failure(fmt::format("{}: {}", vector.id, error.what()));
    }
    ++result.vectors;
    for (std::size_t i = 0; i < vector.steps.size(); ++i) {
        const Step& step = vector.steps[i];
        bool allowed = false;
        Answer answer;
        if (const StoreError error = counters->check(step, answer, allowed); error != StoreError::none) {
            return failure(
                fmt::format("{}: step {}: the store did not decide: {}", vector.id, i + 1, to_string(error)));
        }
        Comparison comparison{vector, i + 1, out};
        comparison.field("allowed", step.allowed ? "true" : "false", allowed ? "true" : "false");
        comparison.field("remaining", fmt::format("{}", step.remaining), fmt::format("{}", answer.remaining));
        comparison.field("retry_after_us", text_of(step.retry_after), text_of(answer.retry_after));
        comparison.field("reset_after_us", text_of(step.reset_after), text_of(answer.reset_after));
        result.mismatches += comparison.mismatches();
        ++result.steps;
    }
    return {};
}

Result<SelftestResult> run_vectors(std::string_view jsonl, Store& store, std::ostream& out) {
    const auto vectors = parse_vectors(jsonl, "vectors");
    if (!vectors) return tl::unexpected{vectors.error()};
    SelftestResult result;
    std::uint64_t counter_id = 0;
    for (const Vector& vector : *vectors) {
        if (auto done = run_vector(vector, store, ++counter_id, result, out); !done) {
            return tl::unexpected{done.error()};
        }
    }
    return result;
}

}  // namespace stint::inline v0::selftest
