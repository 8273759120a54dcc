#include "store/redis/resolver.hpp"

#include <netdb.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace stint::inline v0::store::redis {

namespace asio = boost::asio;
using boost::system::error_code;

struct Resolver::Request {
    Found done;
    asio::executor_work_guard<asio::io_context::executor_type> work;  // its loop has something to wait for
    bool cancelled = false;

    void finish(error_code error, const Addresses& addresses) {
        if (done == nullptr) return;
        const Found tell = std::exchange(done, nullptr);
        work.reset();
        if (cancelled) return tell(asio::error::operation_aborted, {});  // found just before
        tell(error, addresses);
    }
};

namespace {

using RequestPtr = std::shared_ptr<Resolver::Request>;

struct Outcome {
    error_code error{};
    Resolver::Addresses addresses{};
};

error_code error_of(int code) {
    switch (code) {
        case EAI_AGAIN:
            return asio::error::host_not_found_try_again;
        case EAI_NONAME:
            return asio::error::host_not_found;
        case EAI_MEMORY:
            return asio::error::no_memory;
        case EAI_SYSTEM:
            return {errno, boost::system::system_category()};
        default:
            return asio::error::no_recovery;
    }
}

Outcome ask_system(const Endpoint& endpoint) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    const int failed = ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &list);
    if (failed != 0) return {error_of(failed), {}};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{list, &::freeaddrinfo};
    Outcome outcome;
    for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
        asio::ip::tcp::endpoint address;
        if (entry->ai_addrlen > address.capacity()) continue;
        std::memcpy(address.data(), entry->ai_addr, entry->ai_addrlen);
        address.resize(entry->ai_addrlen);
        outcome.addresses.push_back(address);
    }
    return outcome;
}

/// What the resolvers of one loop share. Threads: the loop's, one at a time.
class Lookups final : public asio::execution_context::service {
public:
    static inline asio::execution_context::id id;  // by which Asio finds it

    explicit Lookups(asio::execution_context& loop)
        : service(loop), way_back_(std::make_shared<WayBack>(static_cast<asio::io_context&>(loop), *this)) {}

    void add(const Endpoint& endpoint, RequestPtr request) {
        const auto [at, is_new] = waiting_.try_emplace(endpoint);
        at->second.push_back(std::move(request));
        if (!is_new) return;
        next_.push_back(endpoint);
        start_next();
    }

    void cancel(const RequestPtr& request) {
        for (auto& [endpoint, requests] : waiting_) std::erase(requests, request);
    }

private:
    /// How a thread finds back, unless the loop is gone.
    struct WayBack {
        WayBack(asio::io_context& to, Lookups& lookups) : loop(&to), owner(lookups) {}
        void tell(const Endpoint& endpoint, Outcome outcome) {
            const std::lock_guard lock{mutex};
            if (loop == nullptr) return;
            asio::post(*loop,
                       [&lookups = owner, endpoint, result = std::move(outcome)] { lookups.found(endpoint, result); });
        }
        std::mutex mutex{};
        asio::io_context* loop;
        Lookups& owner;
    };

    void shutdown() override {
        {
            const std::lock_guard lock{way_back_->mutex};
            way_back_->loop = nullptr;
        }
        for (auto& [endpoint, requests] : std::exchange(waiting_, {})) {
            for (const RequestPtr& request : requests) {
                const Resolver::Found dropped = std::exchange(request->done, nullptr);
                request->work.reset();
            }
        }
    }

    void start_next() {
        while (running_ < kLookupsMax && !next_.empty()) {
            const Endpoint endpoint = std::move(next_.front());
            next_.pop_front();
            ++running_;
            try {
                std::thread{[endpoint, back = way_back_] { back->tell(endpoint, ask_system(endpoint)); }}.detach();
            } catch (const std::system_error&) {
                way_back_->tell(endpoint, {asio::error::no_memory, {}});  // too many threads
            }
        }
    }

    void found(const Endpoint& endpoint, const Outcome& outcome) {
        --running_;
        const auto at = waiting_.find(endpoint);
        const std::vector<RequestPtr> requests = std::move(at->second);
        waiting_.erase(at);
        start_next();
        for (const RequestPtr& request : requests) request->finish(outcome.error, outcome.addresses);
    }

    std::shared_ptr<WayBack> way_back_;
    std::map<Endpoint, std::vector<RequestPtr>> waiting_;  // for what is looked up; nobody, if all have cancelled
    std::deque<Endpoint> next_;
    std::size_t running_ = 0;
};

}  // namespace

void Resolver::resolve(const Endpoint& endpoint, Found done) {
    request_ = std::make_shared<Request>(Request{std::move(done), asio::make_work_guard(loop_)});
    error_code is_name;
    const auto address = asio::ip::make_address(endpoint.host, is_name);
    if (is_name) return asio::use_service<Lookups>(loop_).add(endpoint, request_);
    asio::post(loop_, [request = request_, to = asio::ip::tcp::endpoint{address, endpoint.port}] {
        request->finish({}, {to});
    });
}

void Resolver::cancel() {
    const RequestPtr request = std::exchange(request_, nullptr);
    if (request == nullptr || request->done == nullptr) return;
    request->cancelled = true;
    asio::use_service<Lookups>(loop_).cancel(request);
    asio::post(loop_, [request] { request->finish(asio::error::operation_aborted, {}); });
}

}  // namespace stint::inline v0::store::redis
