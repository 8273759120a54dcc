#include "store/redis/node_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stint::store::redis {
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;

constexpr std::size_t kInFlightMax = 8;  // calls of one connection; what waits longer is asked in larger calls
constexpr std::size_t kReadBytes = 16 * 1024;
constexpr milliseconds kBackOffFirst{10};
constexpr milliseconds kBackOffMax{500};
constexpr milliseconds kTimerGrain{1};
/// A server that says nothing for so many deadlines while it is asked counts as gone.
constexpr int kSilenceDeadlines = 5;
constexpr milliseconds kSilenceLeast{100};

}  // namespace

NodeClient::NodeClient(boost::asio::io_context& loop, Endpoint endpoint, NodeOptions options)
    : loop_(loop), deadlines_(loop), reconnect_(loop), endpoint_(std::move(endpoint)), options_(std::move(options)) {}

NodeClient::~NodeClient() = default;

void NodeClient::start() {
    connect();
}

void NodeClient::stop() {
    stopped_ = true;
    deadlines_.cancel();
    reconnect_.cancel();
    if (link_ != nullptr) {
        link_->transport->close();
        link_->connection.fail_all(StoreError::unavailable);
        link_ = nullptr;
    }
    refuse_waiting(StoreError::unavailable);
}

void NodeClient::add(JobPtr job) {
    if (stopped_ || failures_ > 0) return job->finish(StoreError::unavailable);
    if (waiting_.size() >= options_.waiting_max) return job->finish(StoreError::overloaded);
    if (!timer_at_) set_timer(job->deadline);
    waiting_.push_back(std::move(job));
}

void NodeClient::pump() {
    if (link_ == nullptr || link_->connection.state() != Connection::State::ready) return;
    Connection& connection = link_->connection;
    if (!waiting_.empty() && connection.in_flight() < kInFlightMax) {
        if (connection.in_flight() == 0) link_->last_heard = Clock::now();
        for (Call& call : make_calls(waiting_, kInFlightMax - connection.in_flight())) connection.send(std::move(call));
    }
    write();
}

void NodeClient::connect() {
    link_ = std::make_shared<Link>(Link{
        make_transport(loop_, options_.tls, options_.server_name), Connection{options_.sign_in}, {}, Clock::now()});
    set_timer(Clock::now() + options_.deadline);
    link_->transport->open(endpoint_,
                           [self = shared_from_this(), link = link_](error_code error) { self->on_open(link, error); });
}

void NodeClient::on_open(const LinkPtr& link, error_code error) {
    if (link != link_) return;
    if (error) return lose(fmt::format("cannot connect: {}", error.message()));
    link_->open = true;
    read(link);
    write();
}

void NodeClient::read(const LinkPtr& link) {
    link->transport->read_some(
        link->connection.prepare(kReadBytes), [self = shared_from_this(), link](error_code error, std::size_t size) {
            if (link != self->link_) return;
            if (error) return self->lose(fmt::format("connection lost: {}", error.message()));
            link->last_heard = Clock::now();
            std::deque<JobPtr> again;
            link->connection.received(size, again);
            for (auto job = again.rbegin(); job != again.rend(); ++job) self->waiting_.push_front(std::move(*job));
            if (link->connection.state() == Connection::State::broken) return self->lose(link->connection.error());
            if (link->connection.state() == Connection::State::ready && !std::exchange(self->was_ready_, true)) {
                if (std::exchange(self->failures_, 0) > 0) self->log("connected again");
            }
            self->pump();
            self->read(link);
        });
}

void NodeClient::write() {
    if (!link_->open || !link_->writing.empty() || link_->connection.output().empty()) return;
    std::swap(link_->writing, link_->connection.output());
    link_->transport->write(link_->writing, [self = shared_from_this(), link = link_](error_code error, std::size_t) {
        if (link != self->link_) return;
        if (error) return self->lose(fmt::format("connection lost: {}", error.message()));
        link->writing.clear();
        self->write();
    });
}

/// Gives the connection up. The jobs that were sent may have been done: they fail.
void NodeClient::lose(const std::string& reason) {
    log(reason);
    link_->transport->close();
    link_->connection.fail_all(StoreError::unavailable);
    link_ = nullptr;
    if (std::exchange(was_ready_, false)) return connect();  // once at once: it may only have been restarted
    ++failures_;
    refuse_waiting(StoreError::unavailable);
    connect_later();
}

void NodeClient::connect_later() {
    const auto longest = std::min(kBackOffMax, kBackOffFirst * (1 << std::min(failures_, 10)));
    std::uniform_int_distribution<std::int64_t> jittered{longest.count() / 2, longest.count()};
    reconnect_.expires_after(milliseconds{jittered(random_)});
    reconnect_.async_wait([self = shared_from_this()](error_code error) {
        if (!error && !self->stopped_) self->connect();
    });
}

void NodeClient::set_timer(Clock::time_point when) {
    if (stopped_ || (timer_at_ && *timer_at_ <= when)) return;
    timer_at_ = when;
    deadlines_.expires_at(when);
    deadlines_.async_wait([self = shared_from_this()](error_code error) {
        if (!error) self->on_timer();
    });
}

void NodeClient::on_timer() {
    timer_at_.reset();
    const auto now = Clock::now();
    while (!waiting_.empty() && (waiting_.front()->done() || waiting_.front()->deadline <= now)) {
        if (!waiting_.front()->done()) waiting_.front()->finish(StoreError::timeout);
        waiting_.pop_front();
    }
    std::optional<Clock::time_point> next;
    if (!waiting_.empty()) next = waiting_.front()->deadline;
    if (link_ != nullptr) {
        const auto due = link_->connection.expire(now);
        if (due && (!next || *due < *next)) next = due;
        const bool asked =
            link_->connection.state() == Connection::State::starting || link_->connection.in_flight() > 0;
        const auto silence = std::max<Clock::duration>(kSilenceLeast, kSilenceDeadlines * options_.deadline);
        if (asked) {
            const auto gone_at = link_->last_heard + silence;
            if (gone_at <= now) {
                lose("the server does not answer");
            } else {
                next = std::min(next.value_or(gone_at), gone_at);
            }
        }
    }
    if (next) set_timer(std::max(*next, now + kTimerGrain));
}

void NodeClient::refuse_waiting(StoreError error) {
    for (JobPtr& job : waiting_) {
        if (!job->done()) job->finish(error);
    }
    waiting_.clear();
}

void NodeClient::log(const std::string& text) const {
    if (options_.log) options_.log(fmt::format("{}:{}: {}", endpoint_.host, endpoint_.port, text));
}

}  // namespace stint::store::redis
