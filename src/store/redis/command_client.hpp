// Single commands, one after the other, for tools and for a look at the server
// at the start; what decides checks is RedisStore.
// Tested by command_client_test.cpp, on a real server. Threads: one at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "resp/reader.hpp"
#include "stint/redis_store.hpp"
#include "store/redis/transport.hpp"

namespace stint::store::redis {

class CommandClient {
public:
    /// Connects to the first of the addresses that can be connected to, and signs in.
    /// `timeout` is for each step, here and in ask(); the options' deadline is not used.
    /// Errors: why not; the server's own words if it refuses.
    [[nodiscard]] static Result<std::unique_ptr<CommandClient>> connect(const RedisOptions& options,
                                                                        std::chrono::milliseconds timeout);

    /// Returns: the reply, valid until the next call.
    /// Errors: what the server answers as an error; no answer in time, or a lost connection, and then for ever.
    [[nodiscard]] Result<const resp::Value*> ask(std::initializer_list<std::string_view> arguments);

private:
    explicit CommandClient(std::chrono::milliseconds timeout) : timeout_(timeout) {}

    [[nodiscard]] Result<void> open(const Address& address, const RedisOptions& options,
                                    const std::shared_ptr<boost::asio::ssl::context>& tls);
    [[nodiscard]] Result<void> sign_in(const RedisOptions& options);
    /// Starts something that calls back, and waits for it. Returns: the bytes that it moved.
    template <typename Start>
    [[nodiscard]] Result<std::size_t> run(Start&& start);

    std::chrono::milliseconds timeout_;
    boost::asio::io_context loop_{1};
    std::unique_ptr<Transport> transport_;  // null: not connected, or no longer
    resp::Reader reader_;
};

}  // namespace stint::store::redis
