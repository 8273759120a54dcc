// New rules while the server runs, read on a thread of their own: a large
// folder takes seconds, and signals do not wait for it.
// Threads: an object belongs to the thread that runs its io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <stop_token>
#include <string>
#include <thread>

#include "stint/limiter.hpp"

namespace spdlog {
class logger;
}

namespace stint::inline v0::cli {

class RuleReload {
public:
    /// All must outlive the object; the logger takes lines from several threads.
    RuleReload(boost::asio::io_context& io, std::string path, Limiter& limiter, spdlog::logger& log);

    /// Reads the rules and puts them in force, or logs why not. While they are
    /// being read: once more afterwards, as they may have changed meanwhile.
    void start();

    /// Begins no more, and drops what is being read. The destructor waits for
    /// its end, which a stop makes soon.
    void stop();

private:
    void load(const std::stop_token& stop);
    void loaded();

    boost::asio::io_context& io_;
    std::string path_;
    Limiter& limiter_;
    spdlog::logger& log_;
    bool running_ = false;
    bool again_ = false;
    bool stopped_ = false;
    std::jthread thread_;
};

}  // namespace stint::inline v0::cli
