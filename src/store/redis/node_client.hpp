// One server and its one connection, kept up: jobs that wait go out together as
// soon as there is room, each has its answer or its error by its deadline, and
// a lost connection is made anew. When jobs are refused at once: circuit.hpp.
// Threads: those of its loop, one at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "store/redis/circuit.hpp"
#include "store/redis/client.hpp"
#include "store/redis/connection.hpp"
#include "store/redis/transport.hpp"

namespace stint::inline v0::store::redis {

struct NodeOptions {
    SignIn sign_in{};
    std::shared_ptr<boost::asio::ssl::context> tls{};
    std::string server_name{};
    std::chrono::milliseconds deadline{20};
    std::size_t waiting_max = 65'536;
    /// Calls of one connection; what waits longer is asked in larger calls.
    std::size_t calls_max = 8;
    std::function<void(const std::string&)> log{};  ///< connection lost, refused, made; checks refused
};

/// What a client of several servers has its clients of one ask for and tell.
struct NodeHooks {
    using Located = std::function<void(std::optional<Endpoint>)>;

    /// Finds the server before each attempt to connect. Empty: it is where it was.
    std::function<void(Located)> locate{};
    /// Takes jobs that another server is to be asked. Empty: nobody follows redirections.
    std::function<void(Redirected)> redirected{};
    /// The connection is lost, or could not be made.
    std::function<void()> down{};
};

class NodeClient : public Client, public std::enable_shared_from_this<NodeClient> {
public:
    NodeClient(boost::asio::io_context& loop, Endpoint endpoint, NodeOptions options, NodeHooks hooks);

    void start() override;
    void stop() override;
    void add(JobPtr job) override;
    /// Takes jobs that were sent elsewhere before, in their order.
    void put_back(std::vector<JobPtr> jobs);
    /// Sends nothing more and stops once all that was sent is answered. Returns: the jobs that wait.
    [[nodiscard]] std::vector<JobPtr> retire();
    /// Sends what waits, as far as there is room.
    void pump() override;

private:
    /// A connection with its transport; handlers that come late for an old one find that it is not link_.
    struct Link {
        std::unique_ptr<Transport> transport;
        Connection connection;
        std::string writing{};
        Clock::time_point last_heard{};
        Clock::time_point ready_by{};
        bool open = false;
        bool was_ready = false;
    };
    using LinkPtr = std::shared_ptr<Link>;

    void connect();
    void open_link();
    void on_open(const LinkPtr& link, boost::system::error_code error);
    void read(const LinkPtr& link);
    void on_bytes(const LinkPtr& link, std::size_t size);
    void hand_over(Redirected redirected);
    void write();
    void lose(const std::string& reason, Circuit::Loss loss);
    void retry(const std::string& reason, Circuit::Loss loss);
    [[nodiscard]] std::optional<Clock::time_point> silence_ends() const;
    void set_timer(Clock::time_point when);
    void on_timer();
    void log(const std::string& text);
    void log_refusal(const std::string& text);
    [[nodiscard]] bool ready() const noexcept;
    [[nodiscard]] bool refuses() const noexcept { return stopped_ || retired_ || circuit_.open(); }

    boost::asio::io_context& loop_;
    boost::asio::steady_timer deadlines_;
    boost::asio::steady_timer reconnect_;
    Endpoint endpoint_;
    NodeOptions options_;
    NodeHooks hooks_;
    LinkPtr link_;
    JobQueue waiting_;
    Circuit circuit_;
    std::optional<Clock::time_point> timer_at_;
    std::string refused_{};  // the code of the last refusal that was logged
    Clock::time_point refused_at_{};
    std::string logged_;  // so that a server that stays down is told of once
    Clock::time_point logged_at_{};
    bool retired_ = false;
    bool stopped_ = false;
};

}  // namespace stint::inline v0::store::redis
