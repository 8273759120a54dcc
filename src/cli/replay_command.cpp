#include "cli/replay_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "base/counted.hpp"
#include "base/result.hpp"
#include "replay/escape.hpp"
#include "replay/replay.hpp"
#include "replay/report_html.hpp"
#include "replay/report_json.hpp"
#include "replay/report_text.hpp"
#include "stint/error.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::cli {
namespace {

constexpr int kUnusable = 2;

// One line on a terminal that says how far it is, ten times a second.
class Progress {
public:
    Progress(std::ostream& err, bool shown) : err_(err), shown_(shown) {}
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void start_log(std::string name, std::uint64_t bytes) {
        name_ = std::move(name);
        bytes_ = bytes;
    }
    void read(std::uint64_t bytes) {
        if (!due()) return;
        constexpr double kMegabyte = 1e6;
        const double megabytes = static_cast<double>(bytes) / kMegabyte;
        if (bytes_ == 0) {
            show(fmt::format("{}: {:.1f} MB", name_, megabytes));
        } else {
            const double total = static_cast<double>(bytes_);
            show(fmt::format("{}: {:.0f} % of {:.1f} MB", name_, 100 * static_cast<double>(bytes) / total,
                             total / kMegabyte));
        }
    }
    void decide(double share) {
        if (due()) show(fmt::format("deciding: {:.0f} %", 100 * share));
    }
    void clear() {
        if (shown_ && drawn_) err_ << "\r\033[K" << std::flush;
        drawn_ = false;
    }

private:
    bool due() {
        if (!shown_) return false;
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds{100}) return false;
        last_ = now;
        return true;
    }
    void show(const std::string& text) {
        err_ << "\r\033[K" << text << std::flush;
        drawn_ = true;
    }

    std::ostream& err_;
    bool shown_;
    bool drawn_ = false;
    std::string name_;
    std::uint64_t bytes_ = 0;
    std::chrono::steady_clock::time_point last_;
};

// What can be wrong with a log before anything is read: it is looked at, but
// not opened, for a pipe can be opened only once.
Result<void> check_log(const std::string& log) {
    if (log == "-") return {};
    std::error_code error;
    if (std::filesystem::is_directory(log, error)) return failure(fmt::format("{}: is a folder, not a log", log));
    if (::access(log.c_str(), R_OK) != 0) return failure(fmt::format("{}: {}", log, std::strerror(errno)));
    return {};
}

Result<replay::ReplayConfig> config_of(const ReplayOptions& options) {
    replay::ReplayConfig config;
    const auto format = replay::format_named(options.format);
    if (!format) return failure(fmt::format("--format is auto, combined, common or json, not '{}'", options.format));
    const auto order = replay::order_named(options.order);
    if (!order) return failure(fmt::format("--order is time or file, not '{}'", options.order));
    if (options.logs.empty()) return failure("no log to read; name one, or - for standard input");
    for (const std::string& log : options.logs) {
        if (auto usable = check_log(log); !usable) return failure(usable.error());
    }
    config.format = *format;
    config.order = *order;
    config.simulation.top = options.top;
    config.simulation.max_memory = options.max_memory;
    return config;
}

Result<void> read_logs(const ReplayOptions& options, std::istream& in, replay::Replay& replayed, Progress& progress) {
    for (const std::string& log : options.logs) {
        if (log == "-") {
            progress.start_log("standard input", 0);
            if (auto read = replayed.add_log("-", in); !read) return read;
            continue;
        }
        std::error_code error;
        const auto bytes = std::filesystem::file_size(log, error);
        progress.start_log(replay::printable(log), error ? 0 : bytes);
        std::ifstream file{log, std::ios::binary};
        if (!file) return failure(fmt::format("{}: cannot be opened", log));
        if (auto read = replayed.add_log(log, file); !read) return read;
    }
    return {};
}

Result<void> write_html(const std::string& path, const replay::Report& report) {
    std::ofstream file{path, std::ios::binary | std::ios::trunc};
    file << replay::report_html(report);
    file.close();
    if (!file) return failure(fmt::format("{}: the page cannot be written", path));
    return {};
}

void warn_of_rules_that_never_apply(const RuleSet& rules, std::ostream& err) {
    for (const Rule& rule : rules.rules()) {
        for (const std::string& attribute : replay::unknown_attributes(rule)) {
            err << fmt::format("stint: rule {} never applies: access logs have no attribute '{}'\n", rule.name,
                               replay::printable(attribute));
        }
    }
}

int fail(std::ostream& err, const std::string& reason) {
    err << "stint: " << reason << "\n";
    return kUnusable;
}

int replay_with(const ReplayOptions& options, replay::ReplayConfig config, std::istream& in, std::ostream& out,
                std::ostream& err) {
    Progress progress{err, options.progress.value_or(&err == &std::cerr && ::isatty(STDERR_FILENO) == 1)};
    config.on_read = [&](std::uint64_t bytes) { progress.read(bytes); };
    config.on_decide = [&](double share) { progress.decide(share); };
    const RuleSet rules = load_rules(options.rules);
    warn_of_rules_that_never_apply(rules, err);
    replay::Replay replayed{rules, std::move(config)};
    const auto read = read_logs(options, in, replayed, progress);
    if (!read) {
        progress.clear();
        return fail(err, read.error());
    }
    const replay::Report report = replayed.finish();
    progress.clear();
    for (const std::string& warning : replayed.warnings()) err << "stint: " << warning << "\n";
    if (report.evictions > 0) {
        err << fmt::format(
            "stint: {} had no room and {} forgotten, so these numbers deny too few; "
            "give more with --max-memory\n",
            counted(report.evictions, "state"), report.evictions == 1 ? "was" : "were");
    }
    if (!options.html.empty()) {
        if (auto written = write_html(options.html, report); !written) return fail(err, written.error());
    }
    if (options.json) {
        err << replay::bad_lines_text(report);
        out << replay::report_json(report) << "\n";
    } else {
        out << replay::report_text(report);
    }
    out.flush();
    return out ? 0 : fail(err, "the report cannot be written");
}

}  // namespace

int replay(const ReplayOptions& options, std::istream& in, std::ostream& out, std::ostream& err) {
    Result<replay::ReplayConfig> config = config_of(options);
    if (!config) return fail(err, config.error());
    try {
        return replay_with(options, std::move(*config), in, out, err);
    } catch (const ConfigError& error) {
        err << error.what() << "\n";
        return kUnusable;
    } catch (const std::bad_alloc&) {
        return fail(err, "not enough memory");
    }
}

}  // namespace stint::inline v0::cli
