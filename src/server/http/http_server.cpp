#include "server/http/http_server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http/http_worker.hpp"

namespace stint::inline v0::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Result<tcp::endpoint> parse_address(const std::string& text) {
    const std::string wanted = "an address with a port is expected, such as 127.0.0.1:8080 or [::1]:8080";
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) return failure(fmt::format("\"{}\": {}", text, wanted));
    std::string host = text.substr(0, colon);
    const std::string_view port_text = std::string_view{text}.substr(colon + 1);
    std::uint16_t port = 0;
    const auto [end, problem] = std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
    if (problem != std::errc{} || end != port_text.data() + port_text.size()) {
        return failure(fmt::format("\"{}\": the port must be a number from 0 to 65535", text));
    }
    if (host == "localhost") host = "127.0.0.1";
    const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    error_code ec;
    const auto address = asio::ip::make_address(host, ec);
    if (ec || address.is_v6() != bracketed) return failure(fmt::format("\"{}\": {}", text, wanted));
    return tcp::endpoint{address, port};
}

std::string to_text(const tcp::endpoint& endpoint) {
    const std::string host = endpoint.address().to_string();
    return endpoint.address().is_v6() ? fmt::format("[{}]:{}", host, endpoint.port())
                                      : fmt::format("{}:{}", host, endpoint.port());
}

error_code share_port(tcp::acceptor& acceptor) {
    const int on = 1;
    if (::setsockopt(acceptor.native_handle(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0) return {};
    return {errno, boost::system::system_category()};
}

/// The first socket is bound without SO_REUSEPORT and gets it afterwards:
/// otherwise a second server of the same user would quietly share the port.
error_code open_acceptor(tcp::acceptor& acceptor, const tcp::endpoint& endpoint, bool first) {
    error_code ec;
    acceptor.open(endpoint.protocol(), ec);
    if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
    if (!ec && endpoint.address().is_v6()) acceptor.set_option(asio::ip::v6_only(true), ec);
    if (!ec && !first) ec = share_port(acceptor);
    if (!ec) acceptor.bind(endpoint, ec);
    if (!ec && first) ec = share_port(acceptor);
    if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
    return ec;
}

}  // namespace

class HttpServer::Impl {
public:
    Impl(Limiter& limiter, const HttpOptions& options) : scope_{.limiter = limiter, .options = options} {}

    Result<void> listen(const std::string& address, std::size_t threads) {
        Result<tcp::endpoint> endpoint = parse_address(address);
        if (!endpoint) return tl::unexpected(endpoint.error());
        for (std::size_t i = 0; i < threads; ++i) {
            auto io = std::make_shared<asio::io_context>(1);
            tcp::acceptor acceptor{*io};
            error_code ec = open_acceptor(acceptor, *endpoint, i == 0);
            if (!ec && i == 0) endpoint = acceptor.local_endpoint(ec);
            if (ec) return failure(fmt::format("cannot listen at {}: {}", to_text(*endpoint), ec.message()));
            workers_.push_back(std::make_unique<Worker>(scope_, std::move(acceptor), std::move(io)));
        }
        address_ = to_text(*endpoint);
        return {};
    }

    void start() {
        scope_.ready = true;
        for (const auto& worker : workers_) worker->start();
    }

    void drain() {
        scope_.ready = false;
        for (const auto& worker : workers_) worker->drain();
    }

    [[nodiscard]] const std::string& address() const { return address_; }
    [[nodiscard]] bool drained() const { return scope_.running == 0; }
    [[nodiscard]] std::size_t connections() const { return scope_.connections; }

private:
    ServerScope scope_;
    std::string address_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

Result<std::unique_ptr<HttpServer>> HttpServer::listen(Limiter& limiter, const std::string& address,
                                                       std::size_t threads, const HttpOptions& options) {
    auto impl = std::make_unique<Impl>(limiter, options);
    if (const Result<void> listening = impl->listen(address, threads); !listening) {
        return tl::unexpected(listening.error());
    }
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

Result<void> HttpServer::check_address(const std::string& address) {
    if (const Result<tcp::endpoint> endpoint = parse_address(address); !endpoint)
        return tl::unexpected(endpoint.error());
    return {};
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;
const std::string& HttpServer::address() const noexcept {
    return impl_->address();
}
void HttpServer::start() {
    impl_->start();
}
void HttpServer::drain() {
    impl_->drain();
}
bool HttpServer::drained() const noexcept {
    return impl_->drained();
}
std::size_t HttpServer::connections() const noexcept {
    return impl_->connections();
}

}  // namespace stint::inline v0::http
