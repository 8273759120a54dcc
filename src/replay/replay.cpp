#include "replay/replay.hpp"

#include <fmt/format.h>

#include <utility>

#include "replay/line_reader.hpp"

namespace stint::inline v0::replay {
namespace {

constexpr std::uint64_t kLinesPerNote = 4096;
constexpr std::size_t kBadLineBytesKept = 256;

}  // namespace

std::optional<Order> order_named(std::string_view name) noexcept {
    if (name == "time") return Order::time;
    if (name == "file") return Order::file;
    return std::nullopt;
}

Replay::Replay(const RuleSet& rules, ReplayConfig config)
    : config_(std::move(config)),
      parser_(config_.format),
      simulation_(rules, config_.simulation),
      records_(fields_used(rules)) {}

Result<void> Replay::take(const AccessRecord& record) {
    if (config_.order == Order::file) {
        simulation_.feed(record);
    } else if (records_.size() < RecordStore::kRecordsMax) {
        records_.add(record);
    } else {
        return failure("more than 4,294,967,295 requests cannot be put in order of time; use --order file");
    }
    return {};
}

void Replay::note_bad_line(const std::string& name, std::uint64_t line, std::string_view reason,
                           std::string_view text) {
    ++read_.unparsable;
    if (read_.bad_lines.size() >= config_.bad_lines_max) return;
    read_.bad_lines.push_back({.file = name,
                               .line = line,
                               .reason = std::string{reason},
                               .text = std::string{text.substr(0, kBadLineBytesKept)}});
}

Result<void> Replay::add_log(const std::string& name, std::istream& in) {
    read_.files.push_back(name);
    LineReader reader{in};
    LineReader::Line line;
    for (;;) {
        const Result<bool> found = reader.next(line);
        if (!found) return failure(fmt::format("{}: {}", name, found.error()));
        if (!*found) break;
        ++read_.lines;
        if (line.too_long) {
            note_bad_line(name, reader.line_number(), "longer than 1 MiB", line.text);
        } else if (const auto record = parser_.parse(line.text); !record) {
            note_bad_line(name, reader.line_number(), record.error(), line.text);
        } else if (auto taken = take(*record); !taken) {
            return failure(fmt::format("{}:{}: {}", name, reader.line_number(), taken.error()));
        }
        if (config_.on_read && reader.line_number() % kLinesPerNote == 0) config_.on_read(reader.source().consumed());
    }
    if (!reader.source().warning().empty()) warnings_.push_back(name + ": " + reader.source().warning());
    return {};
}

Report Replay::finish() {
    records_.sort_by_time();
    for (std::size_t i = 0; i < records_.size(); ++i) {
        simulation_.feed(records_.at(i));
        if (config_.on_decide && i % kLinesPerNote == 0) {
            config_.on_decide(static_cast<double>(i) / static_cast<double>(records_.size()));
        }
    }
    Report report = simulation_.report();
    report.files = std::move(read_.files);
    report.lines = read_.lines;
    report.unparsable = read_.unparsable;
    report.bad_lines = std::move(read_.bad_lines);
    return report;
}

}  // namespace stint::inline v0::replay
