#include "cli/serve_command.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <initializer_list>
#include <memory>
#include <new>
#include <ostream>
#include <thread>

#include "base/counted.hpp"
#include "base/file_watch.hpp"
#include "cli/rule_reload.hpp"
#include "cli/serve_example.hpp"
#include "cli/store_choice.hpp"
#include "server/http/http_server.hpp"
#include "stint/limiter.hpp"

namespace stint::inline v0::cli {
namespace {

namespace asio = boost::asio;

/// New rules are in force after at most two looks (a change must have settled).
constexpr std::chrono::milliseconds kWatchInterval{500};

constexpr std::chrono::milliseconds kDrainLook{20};
/// The longest that a store's answer is waited for before serving begins.
constexpr std::chrono::milliseconds kStoreLook{1000};
/// Descriptors beyond the connections: listeners, polling, files.
constexpr rlim_t kOtherFiles = 64;

spdlog::logger make_log() {
    spdlog::logger log{"stint", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
    log.set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l: %v");
    log.flush_on(spdlog::level::info);
    return log;
}

/// Lets the process have as many open files as its connections need, if it may.
void raise_file_limit(std::size_t connections, spdlog::logger& log) {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
    const rlim_t wanted = connections + kOtherFiles;
    if (files.rlim_cur >= wanted) return;
    files.rlim_cur = std::min(wanted, files.rlim_max);
    if (::setrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur < wanted) {
        log.warn("{} and the rest need {} open files, but only {} are allowed (ulimit -n)",
                 counted(connections, "connection"), wanted, files.rlim_cur);
    }
}

/// Where nobody waits for a signal it would end the process: SIG_BLOCK lets
/// these wait, in this thread and in those that it begins, SIG_UNBLOCK lets them come.
void mask_signals(int how, std::initializer_list<int> signals) {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : signals) ::sigaddset(&set, signal);
    ::pthread_sigmask(how, &set, nullptr);
}

/// What goes on beside the connections: signals, and rules that change.
class Control {
public:
    Control(const ServeCommand& command, Limiter& limiter, http::HttpServer& server, FileWatch watch,
            spdlog::logger& log)
        : command_(command),
          server_(server),
          watch_(std::move(watch)),
          log_(log),
          reload_(io_, command.rules, limiter, log) {}

    /// From here on run() takes the signals.
    void arm() {
        wait_for_end();
        wait_for_reload();
        look_at_rules();
    }

    /// Returns when the server has drained, or must not be waited for any more.
    void run() {
        while (!ending_) io_.run_one();
        reload_.stop();
        log_.info("draining: {}", counted(server_.connections(), "connection"));
        server_.drain();
        wait_for_end();  // a second signal ends the drain
        ending_ = false;
        const auto deadline = std::chrono::steady_clock::now() + command_.drain_timeout;
        while (!server_.drained() && !ending_ && std::chrono::steady_clock::now() < deadline) {
            io_.run_one_for(kDrainLook);
        }
        if (server_.drained()) {
            log_.info("drained");
        } else {
            const std::size_t left = server_.connections();
            log_.warn("cutting {} that {} not ended", counted(left, "connection"), left == 1 ? "has" : "have");
        }
    }

private:
    void wait_for_end() {
        end_signals_.async_wait([this](const boost::system::error_code& failed, int) {
            if (!failed) ending_ = true;
        });
    }

    void wait_for_reload() {
        reload_signal_.async_wait([this](const boost::system::error_code& failed, int) {
            if (failed) return;
            reload();
            wait_for_reload();
        });
    }

    void look_at_rules() {
        timer_.expires_after(kWatchInterval);
        timer_.async_wait([this](const boost::system::error_code& failed) {
            if (failed) return;
            if (!ending_ && watch_.changed()) reload();
            look_at_rules();
        });
    }

    void reload() {
        watch_.mark();
        reload_.start();
    }

    const ServeCommand& command_;
    http::HttpServer& server_;
    FileWatch watch_;
    spdlog::logger& log_;
    asio::io_context io_{1};
    asio::signal_set end_signals_{io_, SIGTERM, SIGINT};
    asio::signal_set reload_signal_{io_, SIGHUP};
    asio::steady_timer timer_{io_};
    bool ending_ = false;
    RuleReload reload_;  // last: its thread posts to io_
};

/// Says what is wrong with the store. One that is down is no reason not to start: it may come back, and until then
/// the rules say what happens.
void look_at_store(const StoreChoice& choice, const RuleSet& rules, spdlog::logger& log) {
    const auto warnings = choice.look(rules, kStoreLook);
    if (!warnings) return log.warn("{}", warnings.error());
    for (const std::string& warning : *warnings) log.warn("{}", warning);
}

int serve_rules(const ServeCommand& command, std::ostream& out, std::ostream& err) {
    std::signal(SIGPIPE, SIG_IGN);      // a reader of the log that goes away must not end the server
    mask_signals(SIG_BLOCK, {SIGHUP});  // whoever writes rules does not know whether the first ones have been read
    const StoreChoice choice{command.store, command.max_memory};
    FileWatch watch{command.rules};
    RuleSet rules = load_rules(command.rules);
    spdlog::logger log = make_log();
    raise_file_limit(command.bounds.connections_max, log);
    look_at_store(choice, rules, log);
    mask_signals(SIG_BLOCK, {SIGTERM, SIGINT});  // the threads of the store and the server never take one
    const auto store = choice.open([&log](const std::string& text) { log.warn("store: {}", text); });
    LimiterOptions options;
    options.instances = command.instances;
    Limiter limiter{*store, std::move(rules), options};

    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t threads = command.threads == 0 ? cores : command.threads;
    auto server = http::HttpServer::listen(limiter, command.http, threads, command.bounds);
    if (!server) {
        err << "stint serve: " << server.error() << '\n';
        return 1;
    }
    Control control{command, limiter, **server, std::move(watch), log};
    control.arm();
    (*server)->start();
    mask_signals(SIG_UNBLOCK, {SIGHUP, SIGTERM, SIGINT});
    out << "stint: ready on http://" << (*server)->address() << '\n'
        << "try: " << example_curl(limiter, (*server)->address()) << '\n'
        << std::flush;
    control.run();
    mask_signals(SIG_BLOCK, {SIGHUP, SIGTERM, SIGINT});  // what else comes does not change the exit code
    return 0;
}

}  // namespace

int serve(const ServeCommand& command, std::ostream& out, std::ostream& err) {
    if (command.rules.empty()) {
        err << "stint serve: --rules is missing: a rule file or a folder of them. Begin with one like this:\n\n"
               "  version: 1\n"
               "  rules:\n"
               "    - name: submit\n"
               "      match: {action: submit}\n"
               "      key: [team]\n"
               "      limits: [{limit: 3, per: 60s}]\n\n"
               "and stint serve --rules FILE\n";
        return 2;
    }
    if (const Result<void> good = http::HttpServer::check_address(command.http); !good) {
        err << "stint serve: --http " << good.error() << '\n';
        return 2;
    }
    try {
        return serve_rules(command, out, err);
    } catch (const ConfigError& error) {
        err << error.what() << '\n';
        return 2;
    } catch (const std::bad_alloc&) {
        err << "stint serve: the memory that --max-memory asks for cannot be had\n";
        return 1;
    }
}

}  // namespace stint::inline v0::cli
