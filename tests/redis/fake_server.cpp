#include "redis/fake_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "resp/reader.hpp"
#include "resp/writer.hpp"
#include "store/redis/testing_check.hpp"

namespace stint::inline v0::testing_redis {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::string encoded(const Command& command) {
    std::string bytes;
    std::vector<std::string_view> words(command.begin(), command.end());
    resp::Writer{bytes}.command(words);
    return bytes;
}

/// Returns: none if it is no part of a handshake.
std::optional<Reply> sign_in(const Command& command) {
    if (command[0] == "SCRIPT") return Reply{"$40\r\n" + std::string(40, 'a') + "\r\n"};
    if (command[0] == "ROLE") return Reply{"*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"};
    if (command[0] == "AUTH" || command[0] == "SELECT") return Reply{"+OK\r\n"};
    return std::nullopt;
}

class Session : public std::enable_shared_from_this<Session> {
public:
    Session(tcp::socket socket, const FakeServer::Handler& handler, Handshake handshake, int number)
        : socket_(std::move(socket)),
          timer_(socket_.get_executor()),
          handler_(handler),
          handshake_(handshake),
          number_(number) {}

    /// Answers one command after the other, and reads when it has none.
    void next() {
        const auto value = reader_.next();
        if (!value) return;
        if (*value == nullptr) return read();
        Command command;
        for (const resp::Value& word : **value) command.emplace_back(word.text());
        const auto granted = handshake_ == Handshake::granted ? sign_in(command) : std::nullopt;
        reply_ = granted ? *granted : handler_(command, number_);
        if (reply_.after.count() == 0) return write();
        timer_.expires_after(reply_.after);
        timer_.async_wait([self = shared_from_this()](error_code error) {
            if (!error) self->write();
        });
    }

private:
    void read() {
        socket_.async_read_some(asio::buffer(input_), [self = shared_from_this()](error_code error, std::size_t size) {
            if (error) return;
            std::copy_n(self->input_.begin(), size, self->reader_.prepare(size).begin());
            self->reader_.commit(size);
            self->next();
        });
    }

    void write() {
        asio::async_write(socket_, asio::buffer(reply_.bytes),
                          [self = shared_from_this()](error_code error, std::size_t) {
                              if (!error && !self->reply_.cut) self->next();
                          });
    }

    tcp::socket socket_;
    asio::steady_timer timer_;
    const FakeServer::Handler& handler_;
    Handshake handshake_;
    int number_;
    resp::Reader reader_{{.input = resp::Input::commands}};
    std::array<char, 65'536> input_{};
    Reply reply_;
};

}  // namespace

class FakeServer::Impl {
public:
    Impl(Handler handler, Handshake handshake)
        : handler_(std::move(handler)),
          handshake_(handshake),
          acceptor_(loop_, tcp::endpoint{asio::ip::address_v4::loopback(), 0}) {
        accept();
        thread_ = std::thread{[this] { loop_.run(); }};
    }
    ~Impl() {
        loop_.stop();
        thread_.join();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    [[nodiscard]] int connections() const noexcept { return connections_; }

private:
    void accept() {
        acceptor_.async_accept([this](error_code error, tcp::socket socket) {
            if (error) return;
            socket.set_option(tcp::no_delay{true});
            std::make_shared<Session>(std::move(socket), handler_, handshake_, ++connections_)->next();
            accept();
        });
    }

    Handler handler_;
    Handshake handshake_;
    std::atomic<int> connections_{0};
    asio::io_context loop_{1};
    tcp::acceptor acceptor_;
    std::thread thread_;
};

FakeServer::FakeServer(Handler handler, Handshake handshake)
    : impl_(std::make_unique<Impl>(std::move(handler), handshake)) {}
FakeServer::~FakeServer() = default;
std::uint16_t FakeServer::port() const noexcept {
    return impl_->port();
}
int FakeServer::connections() const noexcept {
    return impl_->connections();
}

std::string granted(const Command& evalsha) {
    using store::redis::read_number;
    const std::size_t keys = std::stoul(evalsha.at(2));
    std::string answers = store::redis::time_bytes(1);
    for (std::size_t i = 0; i < keys; ++i) {
        const auto count = static_cast<std::uint32_t>(
            read_number(evalsha.at(4 + keys + i), store::redis::kCountAt, store::redis::kCountBytes));
        answers += store::redis::answer_bytes(count, count);
    }
    std::string reply;
    resp::Writer{reply}.bulk_string(answers);
    return reply;
}

PlainClient::PlainClient(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        close(fd_);
        throw std::runtime_error{"cannot connect"};
    }
}

PlainClient::~PlainClient() {
    close(fd_);
}

std::string PlainClient::ask(const Command& command) {
    const std::string out = encoded(command);
    if (send(fd_, out.data(), out.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(out.size())) {
        throw std::runtime_error{"cannot send"};
    }
    resp::Reader reader;
    std::string bytes;
    std::array<char, 65'536> piece{};
    for (;;) {
        const auto value = reader.next();
        if (!value) throw std::runtime_error{"no RESP"};
        if (*value != nullptr) return bytes;
        const ssize_t size = recv(fd_, piece.data(), piece.size(), 0);
        if (size <= 0) throw std::runtime_error{"connection lost"};
        bytes.append(piece.data(), static_cast<std::size_t>(size));
        std::copy_n(piece.begin(), size, reader.prepare(static_cast<std::size_t>(size)).begin());
        reader.commit(static_cast<std::size_t>(size));
    }
}

}  // namespace stint::inline v0::testing_redis
