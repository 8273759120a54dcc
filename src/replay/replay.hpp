// Logs in, report out: reads lines, puts them in order and asks the rules.
// Tested by replay_test.cpp and tests/integration/replay. Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "replay/line_parser.hpp"
#include "replay/report.hpp"
#include "replay/simulation.hpp"

namespace stint::inline v0::replay {

/// In which order requests are decided: of their times, those of one time as
/// they came; or as they stand in the files, each still at its own time.
enum class Order { time, file };

/// Reads `time` or `file`.
[[nodiscard]] std::optional<Order> order_named(std::string_view name) noexcept;

struct ReplayConfig {
    Format format = Format::automatic;
    Order order = Order::time;
    SimulationOptions simulation;
    std::size_t bad_lines_max = 5;  ///< how many lines that do not count are kept to be shown
    /// Called now and then with the bytes that were read of the current log
    /// (as they are stored), and while nothing is read any more with the share
    /// of requests that are decided. May be empty.
    std::function<void(std::uint64_t bytes)> on_read;
    std::function<void(double share)> on_decide;
};

class Replay {
public:
    /// Errors: throws ConfigError for a memory that cannot be.
    Replay(const RuleSet& rules, ReplayConfig config);

    /// Reads a log to its end. `name` stands for it in reports.
    /// Errors: what cannot be read, with its name.
    [[nodiscard]] Result<void> add_log(const std::string& name, std::istream& in);

    /// Decides what is still to be decided. Called once, at the end.
    [[nodiscard]] Report finish();

    /// Returns: what was passed over in the logs without being an error.
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

private:
    Result<void> take(const AccessRecord& record);
    void note_bad_line(const std::string& name, std::uint64_t line, std::string_view reason, std::string_view text);

    ReplayConfig config_;
    LineParser parser_;
    Simulation simulation_;
    RecordStore records_;  // order by time: all requests until finish()
    Report read_;          // what is known of the lines
    std::vector<std::string> warnings_;
};

}  // namespace stint::inline v0::replay
