#include "server/http/http_connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace stint::inline v0::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// After the last reply, what the client still sends is read and dropped for
/// a while: closing at once would reset the connection, and the reply be lost.
constexpr std::chrono::seconds kLingerTime{2};
constexpr std::size_t kLingerBytesMax = std::size_t{1} << 20;

}  // namespace

Connection::Connection(ConnectionScope& scope, asio::ip::tcp::socket socket)
    : scope_(scope), socket_(std::move(socket)), session_(scope.http) {
    scope_.count.fetch_add(1, std::memory_order_relaxed);
}

Connection::~Connection() {
    scope_.count.fetch_sub(1, std::memory_order_relaxed);
}

void Connection::start(std::list<Connection>::iterator self) {
    self_ = self;
    error_code ignored;  // a socket that refuses options still works
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    socket_.non_blocking(true, ignored);
    session_.on_late_reply([this] {
        if (state_ == State::waiting) flush();  // else what is being written comes first
    });
    read();
}

void Connection::read() {
    state_ = State::reading;
    if (!session_.under_way()) expect_within(scope_.http.options.idle_timeout);
    const std::span<char> room = session_.prepare();
    socket_.async_read_some(asio::buffer(room.data(), room.size()),
                            [this](const error_code& ec, std::size_t count) { on_read(ec, count); });
}

void Connection::on_read(const error_code& ec, std::size_t count) {
    if (!ec) return arrived(count);
    if (ec != asio::error::operation_aborted || !socket_.is_open()) return give_up();
    if (timed_out_) {
        session_.time_out();
        return flush();
    }
    // Draining: a request may have reached the kernel that nobody has read yet.
    const std::span<char> room = session_.prepare();
    error_code failed;
    const std::size_t late = socket_.receive(asio::buffer(room.data(), room.size()), 0, failed);
    if (!failed && late > 0) return arrived(late);
    if (failed == asio::error::would_block && session_.under_way()) return read();
    give_up();
}

void Connection::arrived(std::size_t count) {
    timed_out_ = false;
    const bool begun_before = session_.under_way();
    session_.commit(count);
    const bool another_began = session_.under_way() && (!begun_before || !session_.output().empty());
    if (another_began) expect_within(scope_.http.options.request_timeout);
    flush();
}

void Connection::flush() {
    std::string& output = session_.output();
    for (;;) {
        error_code ec;
        if (written_ < output.size()) {
            written_ += socket_.send(asio::buffer(output.data() + written_, output.size() - written_), 0, ec);
        }
        if (ec == asio::error::would_block || (!ec && written_ < output.size())) break;
        if (ec) return give_up();
        output.clear();
        written_ = 0;
        if (session_.more()) {
            session_.resume();
            // What came before it was answered only now.
            if (session_.under_way()) expect_within(scope_.http.options.request_timeout);
            continue;
        }
        if (session_.waiting()) {
            state_ = State::waiting;
            return;
        }
        const bool over = session_.closing() || (scope_.http.draining && !session_.under_way());
        return over ? linger() : read();
    }
    state_ = State::writing;
    expect_within(scope_.http.options.request_timeout);
    asio::async_write(socket_, asio::buffer(output.data() + written_, output.size() - written_),
                      [this](const error_code& ec, std::size_t count) {
                          if (ec) return give_up();
                          written_ += count;
                          flush();
                      });
}

void Connection::linger() {
    error_code ec;
    if (state_ != State::lingering) {
        state_ = State::lingering;
        expect_within(kLingerTime);
        socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ec);
        if (ec) return give_up();
    }
    socket_.async_read_some(asio::buffer(scope_.discard),
                            [this](const error_code& failed, std::size_t count) { on_discarded(failed, count); });
}

void Connection::on_discarded(const error_code& ec, std::size_t count) {
    discarded_ += count;
    if (ec || discarded_ > kLingerBytesMax) return give_up();
    linger();
}

void Connection::expect_within(std::chrono::milliseconds time) {
    deadline_ = scope_.now + kTick + time;  // "now" may be a tick old
}

void Connection::tick() {
    // The client has done its part; how long the store may take is the store's own to say.
    if (state_ == State::waiting || scope_.now < deadline_) return;
    if (state_ == State::reading && session_.under_way() && !timed_out_) {
        timed_out_ = true;
        error_code ignored;
        socket_.cancel(ignored);
        return;
    }
    cut();
}

void Connection::drain() {
    if (state_ != State::reading || session_.under_way()) return;
    error_code ignored;
    socket_.cancel(ignored);
}

void Connection::cut() {
    error_code ignored;
    socket_.close(ignored);
}

void Connection::give_up() {
    scope_.connections.erase(self_);
}

}  // namespace stint::inline v0::http
