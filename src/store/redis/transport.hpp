// Bytes to and from a server, over TCP or TLS. Threads: those of its executor, one at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "store/redis/endpoint.hpp"

namespace boost::asio::ssl {
class context;
}

namespace stint::inline v0::store::redis {

/// What a TLS connection trusts and shows; files in PEM.
struct TlsOptions {
    std::string ca_file{};           ///< empty: the system's certificates
    std::string certificate_file{};  ///< of the client; empty: none
    std::string key_file{};
    std::string server_name{};  ///< that the server's certificate must name; empty: the host
};

/// Returns: the context for all connections of a store. Errors: a file cannot be used; names it.
[[nodiscard]] Result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(const TlsOptions& options);

class Transport {
public:
    using Opened = std::function<void(boost::system::error_code)>;
    using Moved = std::function<void(boost::system::error_code, std::size_t)>;

    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    virtual void open(const Endpoint& endpoint, Opened done) = 0;
    /// One read or write at a time each; the bytes live until `done` is called.
    virtual void read_some(std::span<char> into, Moved done) = 0;
    virtual void write(std::string_view bytes, Moved done) = 0;
    /// Ends what is under way.
    virtual void close() noexcept = 0;
};

/// `tls`: null for plain TCP. `server_name`: as TlsOptions has it.
[[nodiscard]] std::unique_ptr<Transport> make_transport(boost::asio::io_context& loop,
                                                        std::shared_ptr<boost::asio::ssl::context> tls,
                                                        const std::string& server_name);

}  // namespace stint::inline v0::store::redis
