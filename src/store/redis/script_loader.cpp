#include "store/redis/script_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "store/redis/command_client.hpp"
#include "store/redis/endpoint.hpp"
#include "store/redis/primary_vote.hpp"
#include "store/redis/scripts.hpp"
#include "store/redis/slot_map.hpp"

namespace stint::inline v0::store::redis {
namespace {

using std::chrono::milliseconds;

void add(std::vector<Address>& servers, Address server) {
    if (server.port != 0 && std::ranges::find(servers, server) == servers.end()) servers.push_back(std::move(server));
}

/// Reads one of those that SENTINEL REPLICAS answers: name, value, name, value…
Address replica_of(const resp::Value& fields) {
    Address replica;
    for (auto at = fields.begin(); at != fields.end(); ++at) {
        const std::string_view name = at->text();
        if (++at == fields.end()) break;
        if (name == "ip") replica.host = at->text();
        if (name == "port") replica.port = read_port(at->text());
    }
    return replica;
}

Result<std::vector<Address>> nodes_of_cluster(const RedisOptions& options, milliseconds timeout) {
    const auto client = CommandClient::connect(options, timeout);
    if (!client) return tl::unexpected{client.error()};
    const auto ranges = (*client)->ask({"CLUSTER", "SLOTS"});
    if (!ranges) return tl::unexpected{ranges.error()};
    const auto nodes = read_nodes(**ranges, (*client)->address().host);
    if (!nodes) return failure("CLUSTER SLOTS: no node has a slot");
    std::vector<Address> servers;
    for (const Endpoint& node : *nodes) servers.push_back({node.host, node.port});
    return servers;
}

Result<std::vector<Address>> servers_of_sentinels(const RedisOptions& options, milliseconds timeout) {
    const auto named = CommandClient::find_primary(options, timeout);
    if (!named) return tl::unexpected{named.error()};
    std::vector<Address> servers{named->primary};
    const auto replicas = named->sentinel->ask({"SENTINEL", "REPLICAS", options.primary_name});
    if (!replicas) {
        const Address& at = named->sentinel->address();
        return failure(fmt::format("{}: {}", to_string(Endpoint{at.host, at.port}), replicas.error()));
    }
    for (const resp::Value& fields : **replicas) add(servers, replica_of(fields));
    return servers;
}

Result<void> load_on(const RedisOptions& options, milliseconds timeout) {
    const auto client = CommandClient::connect(options, timeout);
    if (!client) return tl::unexpected{client.error()};
    for (std::size_t i = 0; i < kScripts; ++i) {
        const auto loaded = (*client)->ask({"SCRIPT", "LOAD", script_text(static_cast<ScriptId>(i))});
        const Address& at = (*client)->address();
        if (!loaded) return failure(fmt::format("{}: {}", to_string(Endpoint{at.host, at.port}), loaded.error()));
        if ((*loaded)->text() != script_sha(static_cast<ScriptId>(i))) {
            return failure(to_string(Endpoint{at.host, at.port}) + ": the server names a script otherwise");
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

}  // namespace stint::inline v0::store::redis
