// One server and its one connection, kept up: jobs that wait go out together as
// soon as there is room, each has its answer or its error by its deadline, and
// a lost connection is made anew.
//
// When connecting fails, or a server answers nothing for a while, jobs are
// refused at once until a connection is up again: the circuit is open, and each
// attempt, which signs in and loads the scripts, is its half-open probe.
// Threads: those of its loop, one at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "store/redis/connection.hpp"
#include "store/redis/transport.hpp"

namespace stint::store::redis {

struct NodeOptions {
    SignIn sign_in{};
    std::shared_ptr<boost::asio::ssl::context> tls{};
    std::string server_name{};
    std::chrono::milliseconds deadline{20};
    std::size_t waiting_max = 65'536;
    std::function<void(const std::string&)> log{};  ///< connection lost, refused, made
};

class NodeClient : public std::enable_shared_from_this<NodeClient> {
public:
    NodeClient(boost::asio::io_context& loop, Endpoint endpoint, NodeOptions options);
    ~NodeClient();
    NodeClient(const NodeClient&) = delete;
    NodeClient& operator=(const NodeClient&) = delete;

    void start();
    /// Fails all jobs, closes the connection, and refuses whatever comes.
    void stop();

    /// Takes jobs; they go out with the next pump().
    void add(JobPtr job);
    /// Sends what waits, as far as there is room.
    void pump();

private:
    /// A connection with its transport; handlers that come late for an old one find that it is not link_.
    struct Link {
        std::unique_ptr<Transport> transport;
        Connection connection;
        std::string writing{};
        Clock::time_point last_heard{};
        bool open = false;
    };
    using LinkPtr = std::shared_ptr<Link>;

    void connect();
    void on_open(const LinkPtr& link, boost::system::error_code error);
    void read(const LinkPtr& link);
    void write();
    void lose(const std::string& reason);
    void connect_later();
    void set_timer(Clock::time_point when);
    void on_timer();
    void refuse_waiting(StoreError error);
    void log(const std::string& text) const;

    boost::asio::io_context& loop_;
    boost::asio::steady_timer deadlines_;
    boost::asio::steady_timer reconnect_;
    Endpoint endpoint_;
    NodeOptions options_;
    LinkPtr link_;
    std::deque<JobPtr> waiting_;
    std::optional<Clock::time_point> timer_at_;
    std::minstd_rand random_{std::random_device{}()};
    int failures_ = 0;  // since the last connection that was up; more than 0: the circuit is open
    bool was_ready_ = false;
    bool stopped_ = false;
};

}  // namespace stint::store::redis
