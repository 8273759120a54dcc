#include "store/redis/cluster_client.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <random>
#include <utility>

namespace stint::inline v0::store::redis {
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;

/// Each slot is a call of its own, so that many are in flight at a time.
constexpr std::size_t kClusterCallsMax = 1'024;
/// After this what waits is tried again: keys of a moving slot that lie on two nodes soon lie on one.
constexpr milliseconds kTick{2};

}  // namespace

ClusterClient::ClusterClient(boost::asio::io_context& loop, std::vector<Endpoint> configured, NodeOptions options)
    : loop_(loop),
      tick_(loop),
      refresh_timer_(loop),
      options_(std::move(options)),
      refresh_(std::move(configured), std::random_device{}()) {
    options_.calls_max = kClusterCallsMax;
}

void ClusterClient::start() {
    want_map();
}

void ClusterClient::stop() {
    stopped_ = true;
    tick_.cancel();
    refresh_timer_.cancel();
    if (inquiry_ != nullptr) inquiry_->cancel();
    waiting_.fail_all(StoreError::unavailable);
    for (const auto& [endpoint, client] : nodes_) client->stop();
    for (const auto& retired : retired_) {
        if (const NodePtr client = retired.lock()) client->stop();
    }
    advance_splits();
}

void ClusterClient::add(JobPtr job) {
    if (stopped_) return job->finish(StoreError::unavailable);
    job->slot = slot_of(job->keys[0]);
    const bool together =
        std::ranges::all_of(job->keys, [&job](const std::string& key) { return slot_of(key) == job->slot; });
    if (together) return route(std::move(job));
    std::vector<std::uint16_t> slots;
    for (const std::string& key : job->keys) slots.push_back(slot_of(key));
    split(std::move(job), slots);
}

void ClusterClient::pump() {
    advance_splits();
    for (const auto& [endpoint, client] : nodes_) client->pump();
}

void ClusterClient::route(JobPtr job) {
    if (stopped_) return job->finish(StoreError::unavailable);
    if (!map_) {
        if (refresh_.helpless()) return job->finish(StoreError::unavailable);
        if (waiting_.size() >= options_.waiting_max) return job->finish(StoreError::overloaded);
        waiting_.push_back(std::move(job));
        return plan_tick();
    }
    const Endpoint* owner = map_->owner(job->slot);
    if (owner != nullptr) return node(*owner)->add(std::move(job));
    want_map();
    job->finish(StoreError::unavailable);
}

void ClusterClient::route_all(std::vector<JobPtr> jobs) {
    for (JobPtr& job : jobs) {
        if (job->done()) continue;
        job->asking = false;
        route(std::move(job));
    }
    pump();
}

void ClusterClient::split(JobPtr job, const std::vector<std::uint16_t>& slots) {
    // Its jobs end inside a client of one node, which cannot take new ones there.
    auto place = std::make_shared<SplitCheck*>(nullptr);
    splits_.emplace_back(std::move(job), slots, [this, place] {
        stepped_.push_back(*place);
        if (std::exchange(advancing_, true)) return;
        boost::asio::post(loop_, [self = shared_from_this()] { self->pump(); });
    });
    *place = &splits_.back();
    stepped_.push_back(*place);
    advance_splits();
}

void ClusterClient::advance_splits() {
    while (!stepped_.empty()) {
        for (SplitCheck* split : std::exchange(stepped_, {})) {
            std::vector<JobPtr> jobs = split->next(Clock::now() + options_.deadline);
            const bool over = split->over();
            for (JobPtr& job : jobs) route(std::move(job));
            if (over) splits_.remove_if([split](const SplitCheck& other) { return &other == split; });
        }
    }
    advancing_ = false;
}

ClusterClient::NodePtr ClusterClient::node(const Endpoint& endpoint) {
    NodePtr& client = nodes_[endpoint];
    if (client == nullptr) {
        NodeHooks hooks;
        hooks.redirected = [weak = weak_from_this(), endpoint](Redirected redirected) {
            const auto self = weak.lock();
            if (self != nullptr) self->on_redirected(std::move(redirected), endpoint);
        };
        hooks.down = [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->want_map();
        };
        client = std::make_shared<NodeClient>(loop_, endpoint, options_, std::move(hooks));
        client->start();
    }
    return client;
}

void ClusterClient::on_redirected(Redirected redirected, const Endpoint& from) {
    std::vector<JobPtr>& jobs = redirected.jobs;
    if (stopped_) {
        for (const JobPtr& job : jobs) job->finish(StoreError::unavailable);
        return;
    }
    const Endpoint& to = redirected.redirect.to;
    switch (redirected.remedy) {
        case Remedy::moved:
            if (map_) map_->set_owner(redirected.redirect.slot, to);
            want_map();  // a slot seldom moves alone
            for (const JobPtr& job : jobs) job->asking = false;
            return resend(std::move(jobs), to);
        case Remedy::ask:
            for (const JobPtr& job : jobs) job->asking = job->alone = true;
            return resend(std::move(jobs), to);
        case Remedy::try_again: {
            const bool at_once = std::ranges::none_of(jobs, &Job::alone, &JobPtr::operator*);
            for (const JobPtr& job : jobs) job->alone = true;
            if (at_once) return resend(std::move(jobs), from);
            break;
        }
        default:
            want_map();
            break;
    }
    waiting_.put_back(std::move(jobs));
    plan_tick();
}

void ClusterClient::resend(std::vector<JobPtr> jobs, const Endpoint& to) {
    std::erase_if(jobs, [](const JobPtr& job) {
        if (++job->attempts < kAttemptsMax) return false;
        job->finish(StoreError::unavailable);  // nodes that send each other's callers to and fro
        return true;
    });
    const NodePtr client = node(to);
    client->put_back(std::move(jobs));
    client->pump();
}

void ClusterClient::want_map() {
    if (stopped_) return;
    refresh_.want(Clock::now());
    if (!refresh_.due()) return;
    refresh_timer_.expires_at(*refresh_.due());
    refresh_timer_.async_wait([self = shared_from_this()](error_code error) {
        if (error || self->stopped_ || !self->refresh_.due()) return;
        self->ask_for_map(self->refresh_.begin(self->map_ ? self->map_->nodes() : std::vector<Endpoint>{}));
    });
}

void ClusterClient::ask_for_map(const Endpoint& endpoint) {
    inquiry_ = std::make_shared<Inquiry>(
        loop_, InquiryOptions{.sign_in = options_.sign_in, .tls = options_.tls, .server_name = options_.server_name});
    inquiry_->ask(endpoint, {"CLUSTER", "SLOTS"}, [self = shared_from_this(), endpoint](const resp::Value* reply) {
        if (!self->stopped_) self->on_map(endpoint, reply);
    });
}

void ClusterClient::on_map(const Endpoint& asked, const resp::Value* reply) {
    auto map = reply == nullptr ? std::nullopt : SlotMap::read(*reply, asked.host);
    if (map) {
        map_ = std::move(*map);
        refresh_.succeeded(Clock::now());
        retire_unknown();
        for (const Endpoint& known : map_->nodes()) (void)node(known);  // connected before the first check needs it
        route_all(waiting_.take_all());
    } else if (const auto other = refresh_.failed(Clock::now())) {
        return ask_for_map(*other);
    } else {
        if (options_.log) options_.log("no node of the cluster answers");
        if (!map_) waiting_.fail_all(StoreError::unavailable);
    }
    if (refresh_.due()) want_map();
}

/// Clients of nodes that have left, or have no slots any more, go; what waits at them goes elsewhere.
void ClusterClient::retire_unknown() {
    std::vector<JobPtr> jobs;
    std::erase_if(retired_, [](const auto& retired) { return retired.expired(); });
    for (auto at = nodes_.begin(); at != nodes_.end();) {
        if (std::ranges::find(map_->nodes(), at->first) != map_->nodes().end()) {
            ++at;
            continue;
        }
        const NodePtr client = at->second;
        at = nodes_.erase(at);
        for (JobPtr& job : client->retire()) jobs.push_back(std::move(job));
        retired_.push_back(client);
    }
    waiting_.put_back(std::move(jobs));
}

void ClusterClient::plan_tick() {
    if (stopped_ || std::exchange(ticking_, true)) return;
    tick_.expires_after(kTick);
    tick_.async_wait([self = shared_from_this()](error_code error) {
        if (!error) self->on_tick();
    });
}

void ClusterClient::on_tick() {
    ticking_ = false;
    if (stopped_) return;
    (void)waiting_.expire(Clock::now());
    if (map_) {
        route_all(waiting_.take_all());
    } else if (!waiting_.empty()) {
        plan_tick();
    }
}

}  // namespace stint::inline v0::store::redis
