#include "stint/redis_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "stint/error.hpp"
#include "store/redis/cluster_client.hpp"
#include "store/redis/deny_cache.hpp"
#include "store/redis/key_name.hpp"
#include "store/redis/node_client.hpp"
#include "store/redis/primary_finder.hpp"
#include "store/redis/secret_file.hpp"
#include "store/redis/worker.hpp"

namespace stint::inline v0 {
namespace {

using store::redis::append_lease_change;
using store::redis::Change;
using store::redis::Client;
using store::redis::ClusterClient;
using store::redis::DenyCache;
using store::redis::Endpoint;
using store::redis::InquiryOptions;
using store::redis::JobPtr;
using store::redis::kAsksMax;
using store::redis::KeyNames;
using store::redis::kReplyBytesMax;
using store::redis::kTimeBytes;
using store::redis::leave_unattended;
using store::redis::make_change_job;
using store::redis::make_check_job;
using store::redis::make_refund_job;
using store::redis::make_tls_context;
using store::redis::NodeClient;
using store::redis::NodeHooks;
using store::redis::NodeOptions;
using store::redis::PasswordFile;
using store::redis::PrimaryFinder;
using store::redis::Submission;
using store::redis::Worker;

/// Lets a thread wait for a Completion.
class Waiter {
public:
    [[nodiscard]] Completion completion() noexcept {
        return {[](void* context) noexcept {
                    auto* waiter = static_cast<Waiter*>(context);
                    // Under the mutex: the waiter must not be gone before it is told.
                    const std::lock_guard lock{waiter->mutex_};
                    waiter->done_ = true;
                    waiter->changed_.notify_one();
                },
                this};
    }
    void wait() noexcept {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return done_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
};

/// Calls `begin` with an answer and its completion, and waits for that. Returns: the answer.
template <typename Begin>
ChangeAnswer wait_for(const Begin& begin) {
    ChangeAnswer answer;
    Waiter waiter;
    begin(answer, waiter.completion());
    waiter.wait();
    return answer;
}

std::optional<std::int64_t> micros(std::optional<Instant> now) noexcept {
    if (!now) return std::nullopt;
    return std::clamp(now->time_since_epoch().count(), std::int64_t{0}, kInstantMax.time_since_epoch().count());
}

}  // namespace

class RedisStore::Impl {
public:
    explicit Impl(RedisOptions options)
        : options_(std::move(options)), names_({options_.prefix, options_.digest_key_names, options_.digest_key}) {
        std::vector<Problem> problems;
        const auto require = [&problems](bool holds, const char* reason) {
            if (!holds) problems.push_back({"", 0, 0, reason});
        };
        require(options_.deadline >= std::chrono::milliseconds{1} && options_.deadline <= std::chrono::seconds{10},
                "deadline: 1 ms to 10 s are possible");
        require(options_.connections >= 1 && options_.connections <= 64, "connections: 1 to 64 are possible");
        require(options_.waiting_max >= 1, "waiting_max: at least 1");
        require(options_.prefix.size() <= 64 && options_.prefix.find_first_of("{}") == std::string::npos,
                "prefix: at most 64 bytes without braces");
        require(!options_.addresses.empty(), "addresses: at least one");
        require(options_.topology != Topology::cluster || options_.database == 0, "database: a cluster has only 0");
        require(options_.topology != Topology::sentinel || !options_.primary_name.empty(),
                "primary_name: what the sentinels call the primary");
        NodeOptions node;
        node.sign_in = {.user = options_.user,
                        .password = options_.password,
                        .database = options_.database,
                        .password_file = password_file("password_file", options_.password_file, options_.password)};
        node.server_name = options_.server_name;
        node.deadline = options_.deadline;
        node.waiting_max = options_.waiting_max;
        node.log = options_.log;
        if (options_.tls) {
            auto context = make_tls_context({options_.ca_file, options_.certificate_file, options_.key_file, {}});
            require(context.has_value(), context ? "" : context.error().c_str());
            if (context) node.tls = *context;
        }
        if (!problems.empty()) throw ConfigError{std::move(problems)};
        const InquiryOptions sentinels{
            .sign_in = {.user = options_.sentinel_user,
                        .password = options_.sentinel_password,
                        .password_file = password_file("sentinel_password_file", options_.sentinel_password_file,
                                                       options_.sentinel_password)},
            .tls = node.tls,
            .server_name = node.server_name};
        for (std::size_t i = 0; i < options_.connections; ++i) {
            workers_.push_back(std::make_unique<Worker>(
                [&](boost::asio::io_context& loop) { return make_client(loop, node, sentinels); }));
        }
    }

    void decide_async(std::span<Check> checks, std::optional<Instant> now, Completion done) {
        if (checks.empty()) return done();
        auto* submission = new OwnedSubmission{*this, checks.size(), done};
        const std::int64_t clock = micros(now).value_or(this->now());
        const auto asked = store::redis::Clock::now();
        const auto deadline = asked + options_.deadline;
        // A time from outside is not the one by which denials end.
        const bool uses_cache = options_.deny_cache && !now;
        std::vector<JobPtr> jobs;
        jobs.reserve(checks.size());
        for (Check& check : checks) {
            std::optional<DenyCache::Question> question;
            if (uses_cache && DenyCache::covers(check)) {
                question = deny_cache_.answer(check, asked);
                if (!question) {
                    submission->submission.finish_one();
                    continue;
                }
                submission->questions.emplace_back(*question, &check);
            }
            JobPtr job = make_check_job(names_, check, micros(now), clock);
            job->submission = &submission->submission;
            job->deadline = deadline;
            if (options_.deny_cache) {
                name_places(check, question);
                job->deny_cache = &deny_cache_;
            }
            if (check.asks.empty()) {
                check.allowed = true;
                job->finish();
            } else if (job->keys.size() > kAsksMax || job->answer_bytes + kTimeBytes > kReplyBytesMax) {
                job->finish(StoreError::refused);
            } else {
                jobs.push_back(std::move(job));
            }
        }
        if (!jobs.empty()) worker().submit(std::move(jobs));
    }

    void decide(std::span<Check> checks, std::optional<Instant> now) {
        Waiter waiter;
        decide_async(checks, now, waiter.completion());
        waiter.wait();
    }

    void change_async(JobPtr job, ChangeAnswer& answer, Completion done) {
        answer = {};
        if (job == nullptr) return done();
        job->change = &answer;
        job->submission = &(new OwnedSubmission{*this, 1, done})->submission;
        submit(std::move(job));
    }

    void reset_async(const Ask& ask, ChangeAnswer& answer, Completion done) {
        struct Reset {
            Impl& impl;
            std::optional<std::uint64_t> denials;  // where they are kept
            ChangeAnswer& answer;
            Completion done;
        };
        std::optional<std::uint64_t> denials;
        if (DenyCache::covers(ask)) denials = deny_cache_.digest_of(ask).high;
        std::string args;
        append_lease_change(0, Change::reset, 0, args);
        change_async(make_change_job(names_.name_of(ask), std::move(args), std::nullopt), answer,
                     {[](void* context) noexcept {
                          const std::unique_ptr<Reset> self{static_cast<Reset*>(context)};
                          self->answer.done = self->answer.error == StoreError::none;  // also if there was nothing
                          if (self->denials) self->impl.deny_cache_.drop(*self->denials);
                          self->done();
                      },
                      new Reset{*this, denials, answer, done}});
    }

    void release_soon(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now) {
        JobPtr job = make_lease_job(counter, Change::release, lease_id, now);
        if (job == nullptr) return;
        leave_unattended(*job);
        submit(std::move(job));
    }

    /// Returns: null if the counter is not in this store.
    [[nodiscard]] JobPtr make_lease_job(const CounterRef& counter, Change what, std::uint64_t lease_id,
                                        std::optional<Instant> now) const {
        if (counter.key == nullptr || !names_.is_ours(*counter.key)) return nullptr;
        std::string args;
        append_lease_change(counter.digest.low, what, lease_id, args);
        return make_change_job(*counter.key, std::move(args), micros(now));
    }

    [[nodiscard]] DenyCache& deny_cache() noexcept { return deny_cache_; }
    [[nodiscard]] static std::int64_t now() noexcept {
        return std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()).count();
    }

private:
    /// A submission that ends with its last job.
    struct OwnedSubmission {
        OwnedSubmission(Impl& store, std::size_t jobs, Completion then) noexcept
            : impl(store),
              done(then),
              submission(jobs, {[](void* context) noexcept {
                                    const std::unique_ptr<OwnedSubmission> self{static_cast<OwnedSubmission*>(context)};
                                    self->impl.keep_denials(self->questions);
                                    self->done();
                                },
                                this}) {}
        Impl& impl;
        Completion done;
        boost::container::small_vector<std::pair<DenyCache::Question, Check*>, 1> questions;
        Submission submission;
    };

    void keep_denials(std::span<const std::pair<DenyCache::Question, Check*>> questions) noexcept {
        if (questions.empty()) return;
        const auto now = store::redis::Clock::now();
        for (const auto& [question, check] : questions) deny_cache_.keep(question, *check, now);
    }

    /// Tells the answers of a check where their denials are kept, for a refund. `question`: of a check that was looked
    /// up.
    void name_places(Check& check, const std::optional<DenyCache::Question>& question) const noexcept {
        for (Ask& ask : check.asks) {
            if (!DenyCache::covers(ask)) continue;
            ask.answers[0].counter.digest.high = question ? question->digest.high : deny_cache_.digest_of(ask).high;
        }
    }

    void submit(JobPtr job) {
        job->deadline = store::redis::Clock::now() + options_.deadline;
        std::vector<JobPtr> jobs;
        jobs.push_back(std::move(job));
        worker().submit(std::move(jobs));
    }

    /// Returns: null without a path.
    [[nodiscard]] std::shared_ptr<PasswordFile> password_file(const char* option, const std::string& path,
                                                              const std::string& password) const {
        if (path.empty()) return nullptr;
        return std::make_shared<PasswordFile>(PasswordFile::Options{option, path, password, options_.log});
    }

    std::shared_ptr<Client> make_client(boost::asio::io_context& loop, NodeOptions node,
                                        const InquiryOptions& sentinels) const {
        std::vector<Endpoint> endpoints;
        for (const Address& address : options_.addresses) endpoints.push_back({address.host, address.port});
        if (options_.topology == Topology::cluster) {
            return std::make_shared<ClusterClient>(loop, std::move(endpoints), std::move(node));
        }
        NodeHooks hooks;
        if (options_.topology == Topology::sentinel) {
            auto finder = std::make_shared<PrimaryFinder>(loop, endpoints, options_.primary_name, sentinels);
            hooks.locate = [finder](NodeHooks::Located found) { finder->find(std::move(found)); };
            node.sign_in.primary_only = true;
        }
        return std::make_shared<NodeClient>(loop, endpoints[0], std::move(node), std::move(hooks));
    }

    Worker& worker() noexcept {
        return *workers_[workers_.size() == 1 ? 0 : next_.fetch_add(1, std::memory_order_relaxed) % workers_.size()];
    }

    RedisOptions options_;
    KeyNames names_;
    DenyCache deny_cache_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::atomic<std::size_t> next_{0};
};

RedisStore::RedisStore(RedisOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
RedisStore::~RedisStore() = default;

void RedisStore::decide(std::span<Check> checks, std::optional<Instant> now) noexcept {
    impl_->decide(checks, now);
}
void RedisStore::decide_async(std::span<Check> checks, std::optional<Instant> now, Completion done) noexcept {
    impl_->decide_async(checks, now, done);
}

void RedisStore::refund(const Limit& limit, const Answer& answer, std::uint64_t lease_id,
                        std::optional<Instant> now) noexcept {
    if (answer.charged == 0 || answer.counter.key == nullptr) return;
    (void)wait_for([&](ChangeAnswer& into, Completion done) {
        impl_->change_async(make_refund_job(limit, answer, lease_id, micros(now)), into, done);
    });
    impl_->deny_cache().drop(answer.counter.digest.high);
}

ChangeAnswer RedisStore::release(const CounterRef& counter, std::uint64_t lease_id,
                                 std::optional<Instant> now) noexcept {
    return wait_for(
        [&](ChangeAnswer& answer, Completion done) { release_async(counter, lease_id, now, answer, done); });
}
ChangeAnswer RedisStore::renew(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now) noexcept {
    return wait_for([&](ChangeAnswer& answer, Completion done) { renew_async(counter, lease_id, now, answer, done); });
}
ChangeAnswer RedisStore::reset(const Ask& ask) noexcept {
    return wait_for([&](ChangeAnswer& answer, Completion done) { reset_async(ask, answer, done); });
}

void RedisStore::release_soon(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now) noexcept {
    impl_->release_soon(counter, lease_id, now);
}
void RedisStore::release_async(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now,
                               ChangeAnswer& answer, Completion done) noexcept {
    impl_->change_async(impl_->make_lease_job(counter, Change::release, lease_id, now), answer, done);
}
void RedisStore::renew_async(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now,
                             ChangeAnswer& answer, Completion done) noexcept {
    impl_->change_async(impl_->make_lease_job(counter, Change::renew, lease_id, now), answer, done);
}
void RedisStore::reset_async(const Ask& ask, ChangeAnswer& answer, Completion done) noexcept {
    impl_->reset_async(ask, answer, done);
}

std::optional<std::string> RedisStore::refusal(const Limit&) const {
    return std::nullopt;
}

Instant RedisStore::now() const noexcept {
    return Instant{Duration{Impl::now()}};
}

}  // namespace stint::inline v0
