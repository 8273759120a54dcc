// A cluster: one client for each node, and each job to the node that has its
// key's slot. Redirections are followed, at a moving slot's pace too; when a
// node is lost or the map proves wrong, any known node is asked for a new one.
// Threads: those of its loop, one at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "store/redis/inquiry.hpp"
#include "store/redis/map_refresh.hpp"
#include "store/redis/node_client.hpp"
#include "store/redis/slot_map.hpp"
#include "store/redis/split_check.hpp"

namespace stint::inline v0::store::redis {

class ClusterClient : public Client, public std::enable_shared_from_this<ClusterClient> {
public:
    /// `configured`: nodes that are asked for the map before any other is known.
    ClusterClient(boost::asio::io_context& loop, std::vector<Endpoint> configured, NodeOptions options);

    void start() override;
    void stop() override;
    void add(JobPtr job) override;
    void pump() override;

private:
    using Clock = store::redis::Clock;
    using NodePtr = std::shared_ptr<NodeClient>;

    void route(JobPtr job);
    void route_all(std::vector<JobPtr> jobs);
    void split(JobPtr job, const std::vector<std::uint16_t>& slots);
    void advance_splits();
    NodePtr node(const Endpoint& endpoint);
    void on_redirected(Redirected redirected, const Endpoint& from);
    void resend(std::vector<JobPtr> jobs, const Endpoint& to);

    void want_map();
    void ask_for_map(const Endpoint& endpoint);
    void on_map(const Endpoint& asked, const resp::Value* reply);
    void retire_unknown();
    void plan_tick();
    void on_tick();

    boost::asio::io_context& loop_;
    boost::asio::steady_timer tick_;
    boost::asio::steady_timer refresh_timer_;
    NodeOptions options_;
    MapRefresh refresh_;
    std::optional<SlotMap> map_;
    std::map<Endpoint, NodePtr> nodes_;
    std::vector<std::weak_ptr<NodeClient>> retired_;
    std::shared_ptr<Inquiry> inquiry_;
    JobQueue waiting_;  // for the first map, or for a slot that is between two nodes
    std::list<SplitCheck> splits_;
    std::vector<SplitCheck*> stepped_;  // whose jobs have all ended
    bool advancing_ = false;
    bool ticking_ = false;
    bool stopped_ = false;
};

}  // namespace stint::inline v0::store::redis
