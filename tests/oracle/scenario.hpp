// A scenario is a list of events (checks, peeks, refunds, releases …) upon a
// few rules. It is played to a store and to the reference model at once; the
// first answer that differs is found, and the scenario is then cut down to
// the events that it takes. Threads: none; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stint/store.hpp"

namespace stint::inline v0::oracle {

enum class Act : std::uint8_t { check, peek, refund, release, renew, reset };

struct Event {
    Act act = Act::check;
    std::int64_t t_us = 0;
    std::uint64_t cost = 1;
    std::vector<std::size_t> rules = {0};  ///< asked together; the others act upon the first
    std::size_t key = 0;
    std::size_t target = 0;   ///< refund, release, renew: which check, counted from 1 over all events
    std::size_t numbers = 0;  ///< which of the rules' sets of numbers is in force
};

struct RuleSetup {
    std::vector<std::vector<LimitSpec>> numbers;  ///< sets of limits of the same kinds
    std::optional<Ban> ban;
};

struct Scenario {
    std::vector<RuleSetup> rules;
    std::vector<std::string> keys;
    std::vector<Event> events;
    bool probe_waits = false;  ///< verify each wait by asking at its end and just before; time must not step back
};

using StoreFactory = std::function<std::unique_ptr<Store>()>;

/// Plays to the model and to a store in which these rules' counters are unused; `salt` keeps them apart from others.
/// Returns: the first difference, told in words; nothing if there is none.
[[nodiscard]] std::optional<std::string> play(const Scenario& scenario, Store& store, std::uint64_t salt);

/// Returns: the scenario without the events that its difference does not need, and the difference, in words.
[[nodiscard]] std::string smallest_failure(Scenario scenario, const StoreFactory& make_store);

/// Returns: the scenario as text, an event a line.
[[nodiscard]] std::string to_text(const Scenario& scenario);
[[nodiscard]] std::string to_text(const LimitSpec& spec);

}  // namespace stint::inline v0::oracle
