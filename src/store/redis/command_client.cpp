#include "store/redis/command_client.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/duration_text.hpp"
#include "resp/writer.hpp"

namespace stint::store::redis {
namespace {

using boost::system::error_code;

constexpr std::size_t kReadBytes = 16 * 1024;

}  // namespace

Result<std::unique_ptr<CommandClient>> CommandClient::connect(const RedisOptions& options,
                                                              std::chrono::milliseconds timeout) {
    std::shared_ptr<boost::asio::ssl::context> tls;
    if (options.tls) {
        auto made =
            make_tls_context({options.ca_file, options.certificate_file, options.key_file, options.server_name});
        if (!made) return tl::unexpected{made.error()};
        tls = *made;
    }
    std::string reason = "there is no address";
    for (const Address& address : options.addresses) {
        std::unique_ptr<CommandClient> client{new CommandClient{timeout}};
        auto done = client->open(address, options, tls);
        if (done) done = client->sign_in(options);
        if (done) return client;
        reason = fmt::format("{}:{}: {}", address.host, address.port, done.error());
    }
    return failure(reason);
}

template <typename Start>
Result<std::size_t> CommandClient::run(Start&& start) {
    struct Outcome {
        std::optional<error_code> error;
        std::size_t moved = 0;
    };
    // Kept alive by the handler too, which may still be called when nobody waits any more.
    const auto outcome = std::make_shared<Outcome>();
    const auto give_up = std::chrono::steady_clock::now() + timeout_;
    start([outcome](error_code error, std::size_t moved = 0) { *outcome = {error, moved}; });
    loop_.restart();
    while (!outcome->error && loop_.run_one_until(give_up) > 0) {
    }
    if (outcome->error && !*outcome->error) return outcome->moved;
    std::string reason =
        outcome->error ? outcome->error->message() : fmt::format("no answer within {}", write_duration(timeout_));
    transport_->close();
    loop_.restart();
    loop_.poll();  // ends what was under way, while what it uses is still there
    transport_.reset();
    return failure(std::move(reason));
}

Result<void> CommandClient::open(const Address& address, const RedisOptions& options,
                                 const std::shared_ptr<boost::asio::ssl::context>& tls) {
    transport_ = make_transport(loop_, tls, options.server_name);
    const auto opened = run([&](auto done) {
        transport_->open({address.host, address.port}, [done](error_code error) { done(error); });
    });
    if (!opened) return failure("cannot connect: " + opened.error());
    return {};
}

Result<void> CommandClient::sign_in(const RedisOptions& options) {
    if (!options.password.empty()) {
        const auto reply =
            options.user.empty() ? ask({"AUTH", options.password}) : ask({"AUTH", options.user, options.password});
        if (!reply) return tl::unexpected{reply.error()};
    }
    if (options.database != 0) {
        const auto reply = ask({"SELECT", std::to_string(options.database)});
        if (!reply) return tl::unexpected{reply.error()};
    }
    return {};
}

Result<const resp::Value*> CommandClient::ask(std::initializer_list<std::string_view> arguments) {
    if (transport_ == nullptr) return failure("the connection is lost");
    std::string command;
    resp::Writer{command}.command(arguments);
    const auto sent = run([&](auto done) { transport_->write(command, done); });
    if (!sent) return tl::unexpected{sent.error()};
    while (true) {
        const auto reply = reader_.next();
        if (!reply) return failure(fmt::format("the server breaks the protocol: {}", reply.error().reason));
        if (*reply != nullptr) {
            if ((*reply)->is_error()) return failure(std::string{(*reply)->text()});
            return *reply;
        }
        const auto read = run([&](auto done) { transport_->read_some(reader_.prepare(kReadBytes), done); });
        if (!read) return tl::unexpected{read.error()};
        reader_.commit(*read);
    }
}

}  // namespace stint::store::redis
