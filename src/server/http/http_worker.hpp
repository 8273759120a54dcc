// One thread of the HTTP server with its acceptor and its connections.
// Threads: start() and drain() may be called from outside; all else happens on
// the worker's own thread.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <ctime>
#include <memory>
#include <thread>

#include "server/http/http_connection.hpp"

namespace stint::inline v0::http {

/// What all workers share.
struct ServerScope {
    Limiter& limiter;
    HttpOptions options;
    std::atomic<bool> ready{false};
    std::atomic<std::size_t> connections{0};
    std::atomic<std::size_t> running{0};  ///< workers that have not drained yet
};

class Worker {
public:
    Worker(ServerScope& server, boost::asio::ip::tcp::acceptor acceptor, std::shared_ptr<boost::asio::io_context> io);
    /// Cuts its connections and joins its thread.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void start();
    void drain();

private:
    void accept();
    void on_accept(const boost::system::error_code& ec, boost::asio::ip::tcp::socket socket);
    void admit(boost::asio::ip::tcp::socket socket);
    void tick();
    void set_time();
    void stop_accepting();

    ServerScope& server_;
    std::shared_ptr<boost::asio::io_context> io_;  // late replies may come when the worker is gone
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer ticker_;
    boost::asio::steady_timer accept_pause_;
    HttpApi api_;
    HttpShared http_;
    ConnectionScope scope_;
    std::time_t date_second_ = 0;
    std::thread thread_;
};

}  // namespace stint::inline v0::http
