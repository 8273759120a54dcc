#include "server/http/http_worker.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <string_view>
#include <utility>

namespace stint::inline v0::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// After a failed accept (too many open files, say), to not spin on it.
constexpr std::chrono::milliseconds kAcceptPause{100};

constexpr std::string_view kTooMany =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 32\r\n"
    "Retry-After: 1\r\nConnection: close\r\n\r\n"
    R"({"error":"too many connections"})";
static_assert(kTooMany.substr(kTooMany.find('{')).size() == 32);

}  // namespace

Worker::Worker(ServerScope& server, tcp::acceptor acceptor, std::shared_ptr<asio::io_context> io)
    : server_(server),
      io_(std::move(io)),
      acceptor_(std::move(acceptor)),
      ticker_(*io_),
      accept_pause_(*io_),
      api_(server.limiter, server.options, server.ready,
           [loop = io_](std::function<void()> task) { asio::post(*loop, std::move(task)); }),
      http_{.api = api_, .options = server.options, .date = {}},
      scope_{.http = http_, .count = server.connections} {}

Worker::~Worker() {
    io_->stop();
    if (thread_.joinable()) thread_.join();
}

void Worker::start() {
    server_.running.fetch_add(1);
    set_time();
    tick();
    accept();
    thread_ = std::thread([this] {
        io_->run();
        server_.running.fetch_sub(1);
    });
}

void Worker::accept() {
    acceptor_.async_accept([this](const error_code& ec, tcp::socket socket) { on_accept(ec, std::move(socket)); });
}

void Worker::on_accept(const error_code& ec, tcp::socket socket) {
    if (!ec) {
        admit(std::move(socket));
        if (acceptor_.is_open()) accept();
    } else if (acceptor_.is_open()) {
        accept_pause_.expires_after(kAcceptPause);
        accept_pause_.async_wait([this](const error_code& cancelled) {
            if (!cancelled) accept();
        });
    }
}

void Worker::admit(tcp::socket socket) {
    if (server_.connections.load(std::memory_order_relaxed) >= server_.options.connections_max) {
        error_code ignored;  // whoever is one too many may have gone again
        socket.non_blocking(true, ignored);
        socket.send(asio::buffer(kTooMany), 0, ignored);
        socket.shutdown(tcp::socket::shutdown_send, ignored);
        return;
    }
    const auto connection = scope_.connections.emplace(scope_.connections.end(), scope_, std::move(socket));
    connection->start(connection);
    if (http_.draining) connection->drain();
}

void Worker::tick() {
    set_time();
    for (Connection& connection : scope_.connections) connection.tick();
    if (http_.draining && scope_.connections.empty()) return;  // nothing is left to do: run() returns
    ticker_.expires_after(kTick);
    ticker_.async_wait([this](const error_code& cancelled) {
        if (!cancelled) tick();
    });
}

void Worker::set_time() {
    scope_.now = std::chrono::steady_clock::now();
    const std::time_t second = std::time(nullptr);
    if (second == date_second_) return;
    date_second_ = second;
    std::tm parts{};
    gmtime_r(&second, &parts);
    std::array<char, 48> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
    http_.date.assign(text.data(), size);
}

void Worker::drain() {
    asio::post(*io_, [this] {
        stop_accepting();
        http_.draining = true;
        for (Connection& connection : scope_.connections) connection.drain();
        if (scope_.connections.empty()) ticker_.cancel();
    });
}

/// Who has connected before this moment is still served.
void Worker::stop_accepting() {
    error_code ec;
    acceptor_.cancel(ec);
    accept_pause_.cancel();
    acceptor_.non_blocking(true, ec);
    while (!ec) {
        tcp::socket socket{*io_};
        acceptor_.accept(socket, ec);
        if (!ec) admit(std::move(socket));
    }
    acceptor_.close(ec);
}

}  // namespace stint::inline v0::http
