// One accepted socket with its session. Exactly one asynchronous operation, or
// a reply from elsewhere, is under way at any time, and whoever completes it either begins the next or
// gives the connection up; so that no reference counts are needed.
// Threads: belongs to its worker's thread.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <list>

#include "server/http/http_session.hpp"

namespace stint::inline v0::http {

using CoarseTime = std::chrono::steady_clock::time_point;

/// How exact time-outs are: nothing ends early, or more than a tick or two late.
inline constexpr std::chrono::milliseconds kTick{250};

class Connection;

/// What the connections of one worker share.
struct ConnectionScope {
    HttpShared& http;
    CoarseTime now{};  ///< of the last tick
    std::list<Connection> connections{};
    std::atomic<std::size_t>& count;   ///< over all workers
    std::array<char, 4096> discard{};  ///< for bytes that nobody looks at
};

class Connection {
public:
    Connection(ConnectionScope& scope, boost::asio::ip::tcp::socket socket);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// `self`: where this connection stands in the scope's list.
    void start(std::list<Connection>::iterator self);
    /// Ends what has taken too long.
    void tick();
    /// Ends it now if it waits for nothing.
    void drain();
    /// Ends it now.
    void cut();

private:
    enum class State { reading, waiting, writing, lingering };

    void read();
    void on_read(const boost::system::error_code& ec, std::size_t count);
    void arrived(std::size_t count);
    void flush();
    void linger();
    void on_discarded(const boost::system::error_code& ec, std::size_t count);
    void give_up();
    void expect_within(std::chrono::milliseconds time);

    ConnectionScope& scope_;
    boost::asio::ip::tcp::socket socket_;
    HttpSession session_;
    std::list<Connection>::iterator self_{};
    CoarseTime deadline_{};
    State state_ = State::reading;
    bool timed_out_ = false;
    std::size_t written_ = 0;
    std::size_t discarded_ = 0;
};

}  // namespace stint::inline v0::http
