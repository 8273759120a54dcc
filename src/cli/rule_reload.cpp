#include "cli/rule_reload.hpp"

#include <spdlog/logger.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

#include "base/counted.hpp"
#include "rules/rule_loader.hpp"
#include "stint/error.hpp"

namespace stint::inline v0::cli {
namespace {

constexpr std::size_t kProblemsLogged = 100;

void log_problems(const ConfigError& error, spdlog::logger& log) {
    const auto& problems = error.problems();
    const std::size_t shown = std::min(problems.size(), kProblemsLogged);
    for (std::size_t i = 0; i < shown; ++i) log.error("{}", problems[i].to_string());
    if (shown < problems.size()) log.error("and {}", counted(problems.size() - shown, "more problem"));
    log.error("the new rules cannot be used; the old ones stay in force");
}

}  // namespace

RuleReload::RuleReload(boost::asio::io_context& io, std::string path, Limiter& limiter, spdlog::logger& log)
    : io_(io), path_(std::move(path)), limiter_(limiter), log_(log) {}

void RuleReload::start() {
    if (stopped_) return;
    if (running_) {
        again_ = true;
        return;
    }
    try {
        thread_ = std::jthread{[this](const std::stop_token& stop) {
            load(stop);
            boost::asio::post(io_, [this] { loaded(); });
        }};
        running_ = true;
    } catch (const std::exception& error) {
        log_.error("{}: {}; the old rules stay in force", path_, error.what());
    }
}

void RuleReload::stop() {
    stopped_ = true;
    thread_.request_stop();
}

void RuleReload::loaded() {
    running_ = false;
    if (std::exchange(again_, false)) start();
}

void RuleReload::load(const std::stop_token& stop) {
    try {
        RuleSet rules = rules::load_with_places(path_, stop).rules;
        if (stop.stop_requested()) return;
        const std::size_t count = rules.rules().size();
        limiter_.reload(std::move(rules));
        log_.info("rules reloaded: {} from {}", count, path_);
    } catch (const ConfigError& error) {
        if (!stop.stop_requested()) log_problems(error, log_);
    } catch (const std::exception& error) {
        // Whatever it is (no memory for huge files, a failing disk): it is no reason to stop serving.
        log_.error("{}: {}; the old rules stay in force", path_, error.what());
    }
}

}  // namespace stint::inline v0::cli
