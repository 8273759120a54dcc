// The sockets around HttpSession: one io_context, one acceptor and one thread
// per core. The kernel spreads connections over the acceptors (SO_REUSEPORT);
// a connection lives and dies on its thread, so that nothing on its way locks.
// Threads: start(), drain() and the rest are for the thread that made it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "server/http/http_options.hpp"
#include "stint/limiter.hpp"

namespace stint::inline v0::http {

class HttpServer {
public:
    /// Listens at `address`, `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`;
    /// port 0 takes a free one. No connection is served before start().
    /// `limiter` must outlive the server. Errors: what is wrong with the
    /// address, or why it cannot be had.
    [[nodiscard]] static Result<std::unique_ptr<HttpServer>> listen(Limiter& limiter, const std::string& address,
                                                                    std::size_t threads, const HttpOptions& options);
    /// Returns: nothing, or why listen() would not understand this address.
    [[nodiscard]] static Result<void> check_address(const std::string& address);

    /// Cuts what is still connected.
    ~HttpServer();

    /// Returns: the address with the port that was taken.
    [[nodiscard]] const std::string& address() const noexcept;

    void start();

    /// Stops accepting and lets each connection end after what it has asked for;
    /// those that wait for nothing end at once. /readyz says 503 from here on.
    void drain();
    /// Returns: whether all connections have ended after drain().
    [[nodiscard]] bool drained() const noexcept;
    [[nodiscard]] std::size_t connections() const noexcept;

private:
    class Impl;
    explicit HttpServer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace stint::inline v0::http
