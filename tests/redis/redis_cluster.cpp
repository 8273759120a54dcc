#include "redis/redis_cluster.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "redis/until.hpp"

namespace stint::inline v0::testing_redis {
namespace {

constexpr std::size_t kPrimaries = 3;
constexpr unsigned kSlots = 16'384;

void require(bool done, const char* what) {
    if (!done) throw std::runtime_error{what};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines{""};
    for (const char c : text) {
        if (c == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += c;
        }
    }
    return lines;
}

bool has(const ServerProcess& server, const std::string& command, const std::string& text) {
    return server.cli(command).find(text) != std::string::npos;
}

}  // namespace

RedisCluster::RedisCluster() {
    std::vector<std::uint16_t> bus_ports;
    for (std::size_t i = 0; i < 2 * kPrimaries; ++i) {
        bus_ports.push_back(free_port());
        nodes_.emplace_back(
            std::vector<std::string>{"--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
                                     "--cluster-port", std::to_string(bus_ports.back()), "--cluster-node-timeout",
                                     "1000", "--cluster-replica-validity-factor", "0",
                                     "--cluster-require-full-coverage", "no"},
            RedisServer::Begin::later);
    }
    // All of them know each other from the start: to meet and to gossip would take ten seconds.
    const auto id = [](std::size_t i) { return fmt::format("{:040x}", i + 1); };
    for (std::size_t me = 0; me < nodes_.size(); ++me) {
        std::ofstream file{nodes_[me].folder() / "nodes.conf"};
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const bool primary = i < kPrimaries;
            file << fmt::format("{} 127.0.0.1:{}@{} {}{} {} 0 0 {} connected", id(i), nodes_[i].port(), bus_ports[i],
                                i == me ? "myself," : "", primary ? "master" : "slave",
                                primary ? "-" : id(i - kPrimaries), i % kPrimaries + 1);
            if (primary) file << fmt::format(" {}-{}", i * kSlots / kPrimaries, (i + 1) * kSlots / kPrimaries - 1);
            file << '\n';
        }
        file << "vars currentEpoch 3 lastVoteEpoch 0\n";
    }
    for (RedisServer& node : nodes_) node.start();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        require(until([this, i] {
                    return has(nodes_[i], "CLUSTER INFO", "cluster_state:ok") &&
                           (i < kPrimaries || has(nodes_[i], "INFO replication", "master_link_status:up"));
                }),
                "the cluster does not form");
    }
}

std::size_t RedisCluster::owner_of(std::uint16_t slot) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (!has(nodes_[i], "ROLE", "master")) continue;
        // A node lists its own slots in its own line.
        for (const std::string& line : lines_of(nodes_[i].cli("CLUSTER NODES"))) {
            if (line.find("myself") == std::string::npos) continue;
            for (std::size_t at = line.rfind("connected"); (at = line.find(' ', at)) != std::string::npos; ++at) {
                unsigned first = 0;
                unsigned last = 0;
                const int read = std::sscanf(line.c_str() + at + 1, "%u-%u", &first, &last);
                if (read == 1) last = first;
                if (read >= 1 && slot >= first && slot <= last) return i;
            }
        }
    }
    throw std::runtime_error{"nobody has the slot"};
}

std::uint16_t RedisCluster::slot_of(const std::string& key) const {
    return static_cast<std::uint16_t>(std::stoul(nodes_[0].cli("CLUSTER KEYSLOT '" + key + "'")));
}

std::string RedisCluster::id_of(std::size_t index) const {
    return nodes_[index].cli("CLUSTER MYID");
}

std::size_t RedisCluster::first_owner_of(std::uint16_t slot) {
    std::size_t owner = 0;
    while (slot >= (owner + 1) * kSlots / kPrimaries) ++owner;
    return owner;
}

std::size_t RedisCluster::first_replica_of(std::size_t primary) {
    return primary + kPrimaries;
}

RedisOptions RedisCluster::options() const {
    RedisOptions options;
    options.topology = Topology::cluster;
    options.addresses.clear();
    for (const RedisServer& node : nodes_) options.addresses.push_back({"127.0.0.1", node.port()});
    return options;
}

void RedisCluster::move_slot(std::uint16_t slot, std::size_t to) {
    const std::size_t from = owner_of(slot);
    if (from == to) return;
    nodes_[to].cli(fmt::format("CLUSTER SETSLOT {} IMPORTING {}", slot, id_of(from)));
    nodes_[from].cli(fmt::format("CLUSTER SETSLOT {} MIGRATING {}", slot, id_of(to)));
    for (;;) {
        const std::string key = nodes_[from].cli(fmt::format("CLUSTER GETKEYSINSLOT {} 1", slot));
        if (key.empty()) break;
        nodes_[from].cli(fmt::format("MIGRATE 127.0.0.1 {} '{}' 0 5000", nodes_[to].port(), key));
    }
    for (const std::size_t node : {to, from}) {
        require(nodes_[node].cli(fmt::format("CLUSTER SETSLOT {} NODE {}", slot, id_of(to))) == "OK", "SETSLOT");
    }
}

RedisOptions SentinelGroup::options() const {
    RedisOptions options;
    options.topology = Topology::sentinel;
    options.addresses.clear();
    for (const RedisSentinel& sentinel : sentinels) options.addresses.push_back({"127.0.0.1", sentinel.port()});
    options.primary_name = "main";
    return options;
}

SentinelGroup::SentinelGroup() {
    replica.cli(fmt::format("REPLICAOF 127.0.0.1 {}", primary.port()));
    require(until([this] { return has(replica, "INFO replication", "master_link_status:up"); }),
            "the replica does not follow");
    for (int i = 0; i < 3; ++i) sentinels.emplace_back(primary.port());
    for (const RedisSentinel& sentinel : sentinels) {
        require(until([&sentinel] {
                    const std::vector<std::string> lines = lines_of(sentinel.cli("SENTINEL MASTER main"));
                    const auto is = [&lines](const char* name, const char* value) {
                        for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
                            if (lines[i] == name) return lines[i + 1] == value;
                        }
                        return false;
                    };
                    return is("num-other-sentinels", "2") && is("num-slaves", "1") && is("flags", "master");
                }),
                "the sentinels do not find each other");
    }
}

}  // namespace stint::inline v0::testing_redis
