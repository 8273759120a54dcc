// Names to addresses. The system's getaddrinfo takes as long as its resolver
// waits for name servers (by default 10 s for each that is silent) and cannot be
// cancelled: it runs on threads that nobody joins, so that a store can go before
// it ends. Asio's resolver joins its thread. Tested by resolver_test.cpp.
// Threads: those of its loop, one at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "store/redis/endpoint.hpp"

namespace stint::inline v0::store::redis {

/// Names that one loop looks up at a time; more wait.
inline constexpr std::size_t kLookupsMax = 8;

class Resolver {
public:
    using Addresses = std::vector<boost::asio::ip::tcp::endpoint>;
    using Found = std::function<void(boost::system::error_code, const Addresses&)>;
    struct Request;

    explicit Resolver(boost::asio::io_context& loop) : loop_(loop) {}
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;
    ~Resolver() { cancel(); }

    /// Calls `done` once, by its loop. An address is taken as it is, without a thread; a name that is being looked up
    /// already is not looked up twice. Requires: what was asked before is done or cancelled.
    void resolve(const Endpoint& endpoint, Found done);
    /// What is not done yet ends with operation_aborted.
    void cancel();

private:
    boost::asio::io_context& loop_;
    std::shared_ptr<Request> request_;
};

}  // namespace stint::inline v0::store::redis
