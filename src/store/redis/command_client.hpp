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

namespace stint::inline v0::store::redis {

class CommandClient {
public:
    /// Connects to the first of the addresses that can be connected to, and signs in: to the server, a node of the
    /// cluster, or the primary that the first Sentinel to answer names.
    /// `timeout` is for each step, here and in ask(); the options' deadline is not used.
    /// Errors: why not; the server's own words if it refuses.
    [[nodiscard]] static Result<std::unique_ptr<CommandClient>> connect(const RedisOptions& options,
                                                                        std::chrono::milliseconds timeout);

    struct NamedPrimary {
        std::unique_ptr<CommandClient> sentinel;
        Address primary{};
    };
    /// Asks the Sentinels, which the addresses are, one after the other. Returns: the first that names the primary.
    /// Errors: as connect().
    [[nodiscard]] static Result<NamedPrimary> find_primary(const RedisOptions& options,
                                                           std::chrono::milliseconds timeout);

    /// Goes where a cluster's node says that the key is. Returns: the reply, valid until the next call.
    /// Errors: what the server answers as an error; no answer in time, or a lost connection, and then for ever.
    [[nodiscard]] Result<const resp::Value*> ask(std::initializer_list<std::string_view> arguments);

    /// Returns: the server that is connected to, or was last.
    [[nodiscard]] const Address& address() const noexcept { return address_; }

private:
    using Tls = std::shared_ptr<boost::asio::ssl::context>;

    CommandClient(const RedisOptions& options, Tls tls, std::chrono::milliseconds timeout);

    [[nodiscard]] static Result<std::unique_ptr<CommandClient>> connect_to(const RedisOptions& options, const Tls& tls,
                                                                           std::chrono::milliseconds timeout);
    [[nodiscard]] static Result<Tls> make_tls(const RedisOptions& options);
    [[nodiscard]] Result<void> open(const Address& address);
    [[nodiscard]] Result<void> sign_in();
    [[nodiscard]] Result<const resp::Value*> ask_here(std::initializer_list<std::string_view> arguments);
    [[nodiscard]] Result<void> follow(std::string_view redirection);
    /// Starts something that calls back, and waits for it. Returns: the bytes that it moved.
    template <typename Start>
    [[nodiscard]] Result<std::size_t> run(Start&& start);

    RedisOptions options_;
    Tls tls_;
    std::chrono::milliseconds timeout_;
    std::chrono::steady_clock::time_point give_up_{};  // on the step under way, however slowly it comes in
    Address address_{};                                // connected to
    boost::asio::io_context loop_{1};
    std::unique_ptr<Transport> transport_;  // null: not connected, or no longer
    resp::Reader reader_;
};

}  // namespace stint::inline v0::store::redis
