// Requests of the past against rules: a limiter whose clock is the log, and the
// counts of what it says. Tested by simulation_test.cpp. Threads: one at a time.
#pragma once

#include <cstddef>
#include <memory>

#include "replay/access_record.hpp"
#include "replay/record_store.hpp"
#include "replay/report.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::replay {

struct SimulationOptions {
    std::size_t max_memory = std::size_t{1} << 30;  ///< of the states, in bytes
    std::size_t top = 10;                           ///< how many keys and clients each rule lists
};

/// Returns: the fields that these rules look at, and the address.
[[nodiscard]] FieldSet fields_used(const RuleSet& rules);

/// Returns: the attributes that a rule counts by or matches on and that no
/// access log has, each once: with them the rule never applies.
[[nodiscard]] std::vector<std::string> unknown_attributes(const Rule& rule);

class Simulation {
public:
    /// Errors: throws ConfigError for a memory that cannot be.
    Simulation(RuleSet rules, SimulationOptions options);
    ~Simulation();

    /// Asks the rules, at the record's time.
    void feed(const AccessRecord& record);

    /// Returns: what was found out so far; `files`, `lines` and what is about
    /// lines that do not count is left to the caller.
    [[nodiscard]] Report report() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace stint::inline v0::replay
