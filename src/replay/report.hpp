// What a replay found out, ready to be shown. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/time_series.hpp"
#include "stint/time.hpp"

namespace stint::inline v0::replay {

/// A key, and how often it was denied.
struct KeyCount {
    std::vector<std::pair<std::string, std::string>> key;  ///< attribute and value, in the order of the rule's key
    std::uint64_t denied = 0;
};

/// An address as the log writes it, and how often it was denied.
struct ClientCount {
    std::string ip;
    std::uint64_t denied = 0;
};

/// The minute in which most requests were denied; of several the earliest.
struct WorstMinute {
    Instant start;
    std::uint64_t denied = 0;
};

/// One rule's own verdict, whatever other rules say of the same request.
struct RuleReport {
    std::string rule;
    bool shadow = false;
    std::vector<std::string> limits;  ///< each in words
    std::vector<std::string> key;     ///< the names of the attributes that are counted by
    std::uint64_t checked = 0;
    std::uint64_t allowed = 0;
    std::uint64_t denied = 0;
    std::uint64_t banned = 0;  ///< of those denied, the ones that a ban denied
    std::uint64_t denied_keys = 0;
    std::vector<KeyCount> top;  ///< most denied first
    std::uint64_t denied_clients = 0;
    std::vector<ClientCount> top_clients;  ///< most denied first
    std::optional<WorstMinute> worst_minute;
    TimeSeries series;
};

/// A line that does not count.
struct BadLine {
    std::string file;
    std::uint64_t line = 0;
    std::string reason;
    std::string text;  ///< its beginning, raw
};

struct Report {
    std::vector<std::string> files;
    std::uint64_t lines = 0;
    std::uint64_t unparsable = 0;
    std::uint64_t checked = 0;  ///< requests to which at least one rule applied
    std::uint64_t allowed = 0;  ///< of these, those that no enforced rule denied
    std::uint64_t denied = 0;
    std::optional<Instant> first;  ///< the earliest and the latest time of a line that counts
    std::optional<Instant> last;
    std::vector<RuleReport> rules;   ///< in the order of the rule file
    std::vector<BadLine> bad_lines;  ///< the first few
    std::uint64_t evictions = 0;     ///< states that the memory had no room for
    TimeSeries series;               ///< of all requests that were checked
};

}  // namespace stint::inline v0::replay
