#include "store/redis/node_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "store/redis/secret_file.hpp"

namespace stint::inline v0::store::redis {
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;

constexpr std::size_t kReadBytes = 16 * 1024;
constexpr milliseconds kTimerGrain{1};
/// A connection that is not ready after so many deadlines, and this, is given up: its way may take several round trips.
constexpr int kReadyDeadlines = 5;
constexpr milliseconds kReadyLeast{500};
constexpr std::chrono::seconds kSameLogEvery{60};

}  // namespace

NodeClient::NodeClient(boost::asio::io_context& loop, Endpoint endpoint, NodeOptions options, NodeHooks hooks)
    : loop_(loop),
      deadlines_(loop),
      reconnect_(loop),
      endpoint_(std::move(endpoint)),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      circuit_(std::random_device{}()) {}

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
    waiting_.fail_all(StoreError::unavailable);
}

void NodeClient::add(JobPtr job) {
    if (refuses()) return job->finish(StoreError::unavailable);
    if (waiting_.size() >= options_.waiting_max) return job->finish(StoreError::overloaded);
    set_timer(job->deadline);
    waiting_.push_back(std::move(job));
}

void NodeClient::put_back(std::vector<JobPtr> jobs) {
    std::erase_if(jobs, [](const JobPtr& job) { return job->done(); });
    if (refuses()) {
        for (const JobPtr& job : jobs) job->finish(StoreError::unavailable);
        return;
    }
    for (const JobPtr& job : jobs) set_timer(job->deadline);
    waiting_.put_back(std::move(jobs));
}

std::vector<JobPtr> NodeClient::retire() {
    retired_ = true;
    std::vector<JobPtr> jobs = waiting_.take_all();
    if (link_ == nullptr || link_->connection.in_flight() == 0) stop();
    return jobs;
}

void NodeClient::pump() {
    if (!ready()) return;
    Connection& connection = link_->connection;
    if (!waiting_.empty() && connection.in_flight() < options_.calls_max) {
        if (connection.in_flight() == 0) link_->last_heard = Clock::now();  // it had nothing to answer until now
        for (Call& call : make_calls(waiting_, options_.calls_max - connection.in_flight())) {
            connection.send(std::move(call));
        }
    }
    write();
}

bool NodeClient::ready() const noexcept {
    return link_ != nullptr && link_->connection.state() == Connection::State::ready;
}

void NodeClient::connect() {
    if (!hooks_.locate) return open_link();
    hooks_.locate([self = shared_from_this()](std::optional<Endpoint> found) {
        if (self->stopped_ || self->link_ != nullptr) return;
        if (!found) return self->retry("no primary is known", Circuit::Loss::unreachable);
        self->endpoint_ = std::move(*found);
        self->open_link();
    });
}

void NodeClient::open_link() {
    take_password(options_.sign_in);
    const auto now = Clock::now();
    link_ = std::make_shared<Link>(Link{.transport = make_transport(loop_, options_.tls, options_.server_name),
                                        .connection = Connection{options_.sign_in, bool{hooks_.redirected}},
                                        .last_heard = now,
                                        .ready_by = now + std::max(kReadyLeast, kReadyDeadlines * options_.deadline)});
    set_timer(link_->ready_by);
    link_->transport->open(endpoint_,
                           [self = shared_from_this(), link = link_](error_code error) { self->on_open(link, error); });
}

void NodeClient::on_open(const LinkPtr& link, error_code error) {
    if (link != link_) return;
    if (error) return lose(fmt::format("cannot connect: {}", error.message()), Circuit::Loss::unreachable);
    link_->open = true;
    read(link);
    write();
}

void NodeClient::read(const LinkPtr& link) {
    link->transport->read_some(
        link->connection.prepare(kReadBytes), [self = shared_from_this(), link](error_code error, std::size_t size) {
            if (link != self->link_) return;
            if (!error) return self->on_bytes(link, size);
            self->lose(fmt::format("connection lost: {}", error.message()), Circuit::Loss::dropped);
        });
}

void NodeClient::on_bytes(const LinkPtr& link, std::size_t size) {
    Connection& connection = link->connection;
    link->last_heard = Clock::now();
    Received received = connection.received(size);
    if (received.served) circuit_.served();
    if (received.refusal) log_refusal(*received.refusal);
    waiting_.put_back(std::move(received.again));
    for (Redirected& redirected : received.redirected) hand_over(std::move(redirected));
    if (link != link_) return;  // stopped by one of those that were told
    if (connection.state() == Connection::State::broken) {
        return lose(connection.error(),
                    connection.cannot_serve() ? Circuit::Loss::unreachable : Circuit::Loss::dropped);
    }
    if (connection.state() == Connection::State::ready && !std::exchange(link->was_ready, true)) {
        if (circuit_.connected()) log("connected again");
    }
    if (retired_ && connection.in_flight() == 0) return stop();
    pump();
    read(link);
}

void NodeClient::hand_over(Redirected redirected) {
    if (!hooks_.redirected) return put_back(std::move(redirected.jobs));  // for the next connection
    if (redirected.redirect.to.host.empty()) redirected.redirect.to.host = endpoint_.host;
    hooks_.redirected(std::move(redirected));
}

void NodeClient::write() {
    if (!link_->open || !link_->writing.empty() || link_->connection.output().empty()) return;
    std::swap(link_->writing, link_->connection.output());
    link_->transport->write(link_->writing, [self = shared_from_this(), link = link_](error_code error, std::size_t) {
        if (link != self->link_) return;
        if (error) return self->lose(fmt::format("connection lost: {}", error.message()), Circuit::Loss::dropped);
        link->writing.clear();
        self->write();
    });
}

/// Gives the connection up. The jobs that were sent may have been done: they fail.
void NodeClient::lose(const std::string& reason, Circuit::Loss loss) {
    const LinkPtr link = std::exchange(link_, nullptr);
    link->transport->close();
    link->connection.fail_all(StoreError::unavailable);
    retry(reason, loss);
}

void NodeClient::retry(const std::string& reason, Circuit::Loss loss) {
    log(reason);
    const milliseconds pause = circuit_.lost(loss, Clock::now());
    if (hooks_.down) hooks_.down();
    if (retired_) stop();
    if (stopped_) return;
    if (!circuit_.open()) return connect();
    waiting_.fail_all(StoreError::unavailable);
    reconnect_.expires_after(pause);
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

/// When the server counts as gone unless it says something; none while it is not asked. One that has been silent for a
/// whole deadline is stuck, or its reply is lost: a new connection tells, and starts with no reply outstanding.
std::optional<Clock::time_point> NodeClient::silence_ends() const {
    if (link_->connection.state() == Connection::State::starting) return link_->ready_by;
    if (link_->connection.in_flight() == 0) return std::nullopt;
    return link_->last_heard + options_.deadline;
}

void NodeClient::on_timer() {
    timer_at_.reset();
    const auto now = Clock::now();
    const std::size_t waited = waiting_.size();
    auto next = waiting_.expire(now);
    // Nobody else has to wait in vain for a connection that takes so long; it closes the circuit when it is ready.
    if (!ready() && waiting_.size() < waited) circuit_.trip();
    const auto note = [&next](std::optional<Clock::time_point> when) {
        if (when && (!next || *when < *next)) next = when;
    };
    if (link_ != nullptr) {
        note(link_->connection.expire(now));
        const auto gone_at = silence_ends();
        if (gone_at && *gone_at <= now) {
            const bool was_ready = ready();
            lose("the server does not answer", was_ready ? Circuit::Loss::dropped : Circuit::Loss::unreachable);
        } else {
            note(gone_at);
        }
    }
    if (next) set_timer(std::max(*next, now + kTimerGrain));
}

/// What a server refuses may name another slot or key each time: its code says whether it is new.
void NodeClient::log_refusal(const std::string& text) {
    const auto now = Clock::now();
    if (refused_ == code_of(text) && now - refused_at_ < kSameLogEvery) return;
    refused_ = code_of(text);
    refused_at_ = now;
    log(text);
}

void NodeClient::log(const std::string& text) {
    if (!options_.log) return;
    const auto now = Clock::now();
    if (logged_ == text && now - logged_at_ < kSameLogEvery) return;
    logged_ = text;
    logged_at_ = now;
    options_.log(fmt::format("{}: {}", to_string(endpoint_), text));
}

}  // namespace stint::inline v0::store::redis
