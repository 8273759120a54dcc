#include "store/redis/transport.hpp"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "store/redis/resolver.hpp"

namespace stint::inline v0::store::redis {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// What TCP and TLS share: `Stream` is the socket, or has it as its lowest layer.
template <typename Stream>
class SocketTransport : public Transport {
public:
    template <typename... Arguments>
    explicit SocketTransport(asio::io_context& loop, Arguments&... arguments)
        : resolver_(loop), stream_(loop, arguments...) {}

    void open(const Endpoint& endpoint, Opened done) override {
        resolver_.resolve(endpoint, [this, done = std::move(done)](error_code error, const Resolver::Addresses& found) {
            if (error || closed_) return done(error ? error : asio::error::operation_aborted);
            connect(found, done);
        });
    }
    void read_some(std::span<char> into, Moved done) override {
        stream_.async_read_some(asio::buffer(into.data(), into.size()), std::move(done));
    }
    void write(std::string_view bytes, Moved done) override {
        asio::async_write(stream_, asio::buffer(bytes), std::move(done));
    }
    void close() noexcept override {
        closed_ = true;  // a name that was found just before must not open it again
        resolver_.cancel();
        error_code ignored;
        stream_.lowest_layer().close(ignored);
    }

protected:
    [[nodiscard]] Stream& stream() noexcept { return stream_; }
    /// The socket is connected.
    virtual void begin(const Opened& done) { done({}); }

private:
    void connect(const Resolver::Addresses& found, Opened done) {
        asio::async_connect(stream_.lowest_layer(), found,
                            [this, done = std::move(done)](error_code error, const tcp::endpoint&) {
                                if (error) return done(error);
                                error_code ignored;
                                stream_.lowest_layer().set_option(tcp::no_delay{true}, ignored);
                                begin(done);
                            });
    }

    Resolver resolver_;
    Stream stream_;
    bool closed_ = false;
};

using TcpTransport = SocketTransport<tcp::socket>;

class TlsTransport final : public SocketTransport<asio::ssl::stream<tcp::socket>> {
public:
    TlsTransport(asio::io_context& loop, std::shared_ptr<asio::ssl::context> context, std::string server_name)
        : SocketTransport(loop, *context), context_(std::move(context)), server_name_(std::move(server_name)) {}

    void open(const Endpoint& endpoint, Opened done) override {
        const std::string& name = server_name_.empty() ? endpoint.host : server_name_;
        error_code error;
        stream().set_verify_callback(asio::ssl::host_name_verification{name}, error);
        std::string sent = name;  // OpenSSL's macro for this casts the old way
        if (!error && SSL_ctrl(stream().native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                               sent.data()) != 1) {
            error = asio::error::invalid_argument;
        }
        if (error) return done(error);
        SocketTransport::open(endpoint, std::move(done));
    }

private:
    void begin(const Opened& done) override { stream().async_handshake(asio::ssl::stream_base::client, done); }

    std::shared_ptr<asio::ssl::context> context_;  // of the stream
    std::string server_name_;
};

}  // namespace

Result<std::shared_ptr<asio::ssl::context>> make_tls_context(const TlsOptions& options) {
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
    context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                         asio::ssl::context::no_tlsv1_1);
    context->set_verify_mode(asio::ssl::verify_peer);
    error_code error;
    const auto failed = [&error](std::string_view what, const std::string& file) {
        return failure(fmt::format("{} {}: {}", what, file, error.message()));
    };
    if (options.ca_file.empty()) {
        context->set_default_verify_paths(error);
    } else {
        context->load_verify_file(options.ca_file, error);
    }
    if (error) return failed("CA file", options.ca_file);
    if (!options.certificate_file.empty()) {
        context->use_certificate_chain_file(options.certificate_file, error);
        if (error) return failed("certificate", options.certificate_file);
        context->use_private_key_file(options.key_file, asio::ssl::context::pem, error);
        if (error) return failed("key", options.key_file);
    }
    return context;
}

std::unique_ptr<Transport> make_transport(asio::io_context& loop, std::shared_ptr<asio::ssl::context> tls,
                                          const std::string& server_name) {
    if (tls == nullptr) return std::make_unique<TcpTransport>(loop);
    return std::make_unique<TlsTransport>(loop, std::move(tls), server_name);
}

}  // namespace stint::inline v0::store::redis
