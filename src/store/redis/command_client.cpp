#include "store/redis/command_client.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/duration_text.hpp"
#include "resp/writer.hpp"
#include "store/redis/error_reply.hpp"
#include "store/redis/primary_vote.hpp"

namespace stint::inline v0::store::redis {
namespace {

using boost::system::error_code;

constexpr std::size_t kReadBytes = 16 * 1024;
constexpr int kRedirectionsMax = 5;

}  // namespace

CommandClient::CommandClient(const RedisOptions& options, Tls tls, std::chrono::milliseconds timeout)
    : options_(options), tls_(std::move(tls)), timeout_(timeout) {}

Result<std::unique_ptr<CommandClient>> CommandClient::connect(const RedisOptions& options,
                                                              std::chrono::milliseconds timeout) {
    RedisOptions server = options;
    if (options.topology == Topology::sentinel) {
        auto named = find_primary(options, timeout);
        if (!named) return tl::unexpected{named.error()};
        server.topology = Topology::single;
        server.addresses = {std::move(named->primary)};
    }
    const auto tls = make_tls(options);
    if (!tls) return tl::unexpected{tls.error()};
    return connect_to(server, *tls, timeout);
}

Result<CommandClient::Tls> CommandClient::make_tls(const RedisOptions& options) {
    if (!options.tls) return Tls{};
    return make_tls_context({options.ca_file, options.certificate_file, options.key_file, options.server_name});
}

Result<std::unique_ptr<CommandClient>> CommandClient::connect_to(const RedisOptions& options, const Tls& tls,
                                                                 std::chrono::milliseconds timeout) {
    std::string reason = "there is no address";
    for (const Address& address : options.addresses) {
        std::unique_ptr<CommandClient> client{new CommandClient{options, tls, timeout}};
        const auto done = client->open(address);
        if (done) return client;
        reason = fmt::format("{}: {}", to_string(Endpoint{address.host, address.port}), done.error());
    }
    return failure(reason);
}

Result<CommandClient::NamedPrimary> CommandClient::find_primary(const RedisOptions& options,
                                                                std::chrono::milliseconds timeout) {
    const auto tls = make_tls(options);
    if (!tls) return tl::unexpected{tls.error()};
    RedisOptions sentinel = options;
    sentinel.topology = Topology::single;
    sentinel.user = options.sentinel_user;
    sentinel.password = options.sentinel_password;
    sentinel.database = 0;
    std::string reason = "there is no address";
    for (const Address& address : options.addresses) {
        sentinel.addresses = {address};
        auto client = connect_to(sentinel, *tls, timeout);
        if (!client) {
            reason = client.error();
            continue;
        }
        const auto reply = (*client)->ask({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", options.primary_name});
        if (const auto primary = reply ? read_primary(**reply) : std::nullopt) {
            return NamedPrimary{std::move(*client), {primary->host, primary->port}};
        }
        reason = fmt::format("{}: {}", to_string(Endpoint{address.host, address.port}),
                             reply ? "knows no " + options.primary_name : reply.error());
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
    start([outcome](error_code error, std::size_t moved = 0) { *outcome = {error, moved}; });
    loop_.restart();
    while (!outcome->error && loop_.run_one_until(give_up_) > 0) {
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

/// Connects and signs in, instead of wherever it was before.
Result<void> CommandClient::open(const Address& address) {
    address_ = address;
    reader_ = resp::Reader{};
    transport_ = make_transport(loop_, tls_, options_.server_name);
    give_up_ = std::chrono::steady_clock::now() + timeout_;
    const auto opened = run([&](auto done) {
        transport_->open({address.host, address.port}, [done](error_code error) { done(error); });
    });
    if (!opened) return failure("cannot connect: " + opened.error());
    return sign_in();
}

Result<void> CommandClient::sign_in() {
    if (!options_.password.empty()) {
        const auto reply = options_.user.empty() ? ask_here({"AUTH", options_.password})
                                                 : ask_here({"AUTH", options_.user, options_.password});
        if (!reply) return tl::unexpected{reply.error()};
    }
    if (options_.database != 0) {
        const auto reply = ask_here({"SELECT", std::to_string(options_.database)});
        if (!reply) return tl::unexpected{reply.error()};
    }
    return {};
}

Result<const resp::Value*> CommandClient::ask(std::initializer_list<std::string_view> arguments) {
    auto reply = ask_here(arguments);
    for (int followed = 0; !reply && options_.topology == Topology::cluster && followed < kRedirectionsMax;
         ++followed) {
        const Remedy remedy = meaning_of(reply.error()).remedy;
        if (remedy != Remedy::moved && remedy != Remedy::ask) break;
        if (auto there = follow(reply.error()); !there) return tl::unexpected{there.error()};
        if (remedy == Remedy::ask) {
            if (auto allowed = ask_here({"ASKING"}); !allowed) return allowed;
        }
        reply = ask_here(arguments);
    }
    return reply;
}

Result<void> CommandClient::follow(std::string_view redirection) {
    const auto redirect = read_redirect(redirection);
    if (!redirect) return failure(std::string{redirection});
    Address to{redirect->to.host, redirect->to.port};
    if (to.host.empty()) to.host = address_.host;
    const auto opened = open(to);
    if (!opened) return failure(fmt::format("{}: {}", to_string(redirect->to), opened.error()));
    return {};
}

Result<const resp::Value*> CommandClient::ask_here(std::initializer_list<std::string_view> arguments) {
    if (transport_ == nullptr) return failure("the connection is lost");
    std::string command;
    resp::Writer{command}.command(arguments);
    give_up_ = std::chrono::steady_clock::now() + timeout_;
    const auto sent = run([&](auto done) { transport_->write(command, done); });
    if (!sent) return tl::unexpected{sent.error()};
    while (true) {
        const auto reply = reader_.next();
        if (!reply) return failure(fmt::format("the server breaks the protocol: {}", reply.error().reason));
        if (*reply != nullptr) {
            if ((*reply)->is_error()) return failure(shown((*reply)->text()));
            return *reply;
        }
        const auto read = run([&](auto done) { transport_->read_some(reader_.prepare(kReadBytes), done); });
        if (!read) return tl::unexpected{read.error()};
        reader_.commit(*read);
    }
}

}  // namespace stint::inline v0::store::redis
