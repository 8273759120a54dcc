#include "store/redis/script_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "store/redis/command_client.hpp"
#include "store/redis/endpoint.hpp"
#include "store/redis/scripts.hpp"

namespace stint::store::redis {
namespace {

using std::chrono::milliseconds;

void add(std::vector<Address>& servers, Address server) {
    if (server.port != 0 && std::ranges::find(servers, server) == servers.end()) servers.push_back(std::move(server));
}

std::uint16_t port_of(std::string_view digits) noexcept {
    std::uint16_t port = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), port);
    return port;
}

/// Reads what CLUSTER SLOTS answers: [first slot, last slot, [host, port, …]…] for each range.
std::vector<Address> nodes_of(const resp::Value& ranges, const std::string& asked) {
    std::vector<Address> nodes;
    for (const resp::Value& range : ranges) {
        for (const resp::Value& node : range) {
            if (node.size() < 2) continue;  // a slot
            const resp::Value& port = *std::next(node.begin());
            if (port.type() != resp::Type::integer) continue;
            Address address{std::string{node.begin()->text()}, static_cast<std::uint16_t>(port.integer())};
            if (address.host.empty() || address.host == "?") address.host = asked;
            add(nodes, std::move(address));
        }
    }
    return nodes;
}

/// Reads one of those that SENTINEL REPLICAS answers: name, value, name, value…
Address replica_of(const resp::Value& fields) {
    Address replica;
    for (auto at = fields.begin(); at != fields.end(); ++at) {
        const std::string_view name = at->text();
        if (++at == fields.end()) break;
        if (name == "ip") replica.host = at->text();
        if (name == "port") replica.port = port_of(at->text());
    }
    return replica;
}

Result<std::vector<Address>> nodes_of_cluster(const RedisOptions& options, milliseconds timeout) {
    const auto client = CommandClient::connect(options, timeout);
    if (!client) return tl::unexpected{client.error()};
    const auto ranges = (*client)->ask({"CLUSTER", "SLOTS"});
    if (!ranges) return tl::unexpected{ranges.error()};
    return nodes_of(**ranges, (*client)->address().host);
}

Result<std::vector<Address>> servers_of(CommandClient& sentinel, const std::string& name) {
    std::vector<Address> servers;
    const auto primary = sentinel.ask({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name});
    if (!primary) return tl::unexpected{primary.error()};
    if ((*primary)->size() != 2) return failure("knows no " + name);
    add(servers, {std::string{(*primary)->begin()->text()}, port_of(std::next((*primary)->begin())->text())});
    const auto replicas = sentinel.ask({"SENTINEL", "REPLICAS", name});
    if (!replicas) return tl::unexpected{replicas.error()};
    for (const resp::Value& fields : **replicas) add(servers, replica_of(fields));
    return servers;
}

/// Asks the first Sentinel that knows.
Result<std::vector<Address>> servers_of_sentinels(const RedisOptions& options, milliseconds timeout) {
    RedisOptions one = options;
    one.topology = Topology::single;
    one.user = options.sentinel_user;
    one.password = options.sentinel_password;
    std::string reason = "there is no address";
    for (const Address& address : options.addresses) {
        one.addresses = {address};
        const auto sentinel = CommandClient::connect(one, timeout);
        if (!sentinel) {
            reason = sentinel.error();
            continue;
        }
        auto servers = servers_of(**sentinel, options.primary_name);
        if (servers) return servers;
        reason = fmt::format("{}: {}", to_string(Endpoint{address.host, address.port}), servers.error());
    }
    return failure(reason);
}

Result<void> load_on(const RedisOptions& options, milliseconds timeout) {
    const auto client = CommandClient::connect(options, timeout);
    if (!client) return tl::unexpected{client.error()};
    for (std::size_t i = 0; i < kScripts; ++i) {
        const auto loaded = (*client)->ask({"SCRIPT", "LOAD", script_text(static_cast<ScriptId>(i))});
        if (!loaded) {
            const Address& at = (*client)->address();
            return failure(fmt::format("{}: {}", to_string(Endpoint{at.host, at.port}), loaded.error()));
        }
    }
    return {};
}

}  // namespace

Result<std::vector<LoadedAt>> load_scripts(const RedisOptions& options, milliseconds timeout) {
    RedisOptions server = options;
    server.database = 0;  // scripts are of all databases, and to select one is another permission
    Result<std::vector<Address>> servers = options.addresses;
    if (options.topology == Topology::cluster) servers = nodes_of_cluster(server, timeout);
    if (options.topology == Topology::sentinel) servers = servers_of_sentinels(server, timeout);
    if (!servers) return tl::unexpected{servers.error()};
    server.topology = Topology::single;
    std::vector<LoadedAt> loaded;
    for (Address& address : *servers) {
        server.addresses = {address};
        loaded.push_back({std::move(address), load_on(server, timeout)});
    }
    return loaded;
}

}  // namespace stint::store::redis
