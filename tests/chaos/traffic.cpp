#include "chaos/traffic.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <utility>

#include "redis/until.hpp"

namespace stint::inline v0::testing_chaos {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing_redis::until;

constexpr std::size_t kOldUsers = 200;      // at their limits soon
constexpr std::size_t kNewUserEvery = 300;  // checks
constexpr std::size_t kYoungUsers = 40;     // on their way
constexpr Timeline::Millis kTurnMost{20};
constexpr std::size_t kPaceEvery = 20;      // checks of a sweep between two looks at the clock
constexpr Timeline::Millis kLongWait{100};  // shorter ones are of no interest one by one
constexpr Timeline::Millis kTimelineMost = minutes{5};

RuleSet rules() {
    const auto rule = [](const char* kind, const Limit& limit, OnStoreFailure policy) {
        return Rule{
            .name = kind, .match = {{"kind", {kind}}}, .key = {"user"}, .limits = {limit}, .on_store_failure = policy};
    };
    return RuleSet{{rule("log", Limit::sliding_log(kLimit, hours{2}), OnStoreFailure::local),
                    rule("window", Limit::fixed_window(kLimit, minutes{30}), OnStoreFailure::deny),
                    rule("bucket", Limit::token_bucket(kLimit, hours{2}, kLimit), OnStoreFailure::allow),
                    rule("wide", Limit::fixed_window(kWideLimit, hours{2400}), OnStoreFailure::deny)}};
}

constexpr std::array<const char*, kKinds> kNames{"log", "window", "bucket", "wide"};

template <typename Number>
void raise(std::atomic<Number>& most, Number to) {
    Number seen = most.load(std::memory_order_relaxed);
    while (seen < to && !most.compare_exchange_weak(seen, to, std::memory_order_relaxed)) {
    }
}

}  // namespace

Traffic::Traffic(Store& store, std::uint32_t seed)
    : tallies_(kKeys), timeline_(kTimelineMost), random_(seed), limiter_(store, rules(), {.instances = kInstances}) {}

Traffic::~Traffic() {
    thread_ = {};
}

void Traffic::wait_for_store() {
    const bool up = until([this] {
        return limiter_.peek({{"kind", "log"}, {"user", "nobody"}}).source == Source::store;
    });
    if (!up) throw std::runtime_error{"the store does not answer"};
}

void Traffic::start() {
    timeline_.start();
    thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
}

double Traffic::stop() {
    thread_ = {};
    EXPECT_TRUE(until([this] { return unanswered() == 0; }));
    return per_second_;
}

void Traffic::run(const std::stop_token& stop) {
    const auto began = Clock::now();
    auto turned = began;
    std::uint64_t sent = 0;
    double owed = 0;
    std::chrono::duration<double> elapsed{};
    while (!stop.stop_requested()) {
        const auto now = Clock::now();
        const auto turn = now - std::exchange(turned, now);
        elapsed = now - began;
        // What was not sent in time is caught up with, though not at once: a busy machine makes the load not smaller.
        const auto checks_in = [rate = rate_.load()](std::chrono::duration<double> time) {
            return time.count() * rate;
        };
        owed += checks_in(turn);
        const double at_once = checks_in(Millis{2}) + 2 * checks_in(std::min<Clock::duration>(turn, kTurnMost));
        const auto due = static_cast<std::uint64_t>(std::min(owed, static_cast<double>(sent) + at_once));
        for (; sent < due; ++sent) ask(pick());
        (void)poll(nullptr, 0, 1);
    }
    per_second_ = static_cast<double>(sent) / elapsed.count();
}

/// A tenth goes to one user, half of it to the wide limit; the rest in equal parts to old users, to young ones, and to
/// all that are not old.
std::size_t Traffic::pick() {
    const auto below = [this](std::size_t count) {
        return std::uniform_int_distribution{std::size_t{0}, count - 1}(random_);
    };
    const std::size_t new_users = std::min(picked_++ / kNewUserEvery + 1, kUsers - kOldUsers);
    const std::size_t choice = below(10);
    const std::size_t kind = below(kKinds - 1);
    if (choice == 0) return below(2) == 0 ? kind : static_cast<std::size_t>(Kind::wide);
    std::size_t user = 0;
    if (choice <= 3) {
        user = 1 + below(kOldUsers - 1);
    } else if (choice <= 6) {
        user = kOldUsers + new_users - 1 - below(std::min(new_users, kYoungUsers));
    } else {
        user = kOldUsers + below(new_users);
    }
    return user * kKinds + kind;
}

void Traffic::ask(std::size_t key) {
    const std::string user = user_of(key);
    const std::array<Attribute, 2> attributes{{{"kind", kNames[key % kKinds]}, {"user", user}}};
    ++tallies_[key].asked;
    ++asked_;
    const auto since = Clock::now();
    limiter_.check_async(attributes, {}, [this, key, since](const Decision& decision) { note(key, since, decision); });
}

void Traffic::note(std::size_t key, Clock::time_point since, const Decision& decision) {
    const auto now = Clock::now();
    raise(longest_wait_, (now - since).count());
    if (now - since > kLongWait) {
        const std::lock_guard lock{long_waits_mutex_};
        long_waits_.push_back({since, now});
    }
    Tally& tally = tallies_[key];
    const bool from_store = decision.source == Source::store;
    if (from_store) {
        ++answers_.store;
        if (decision.allowed) ++tally.store;
    } else {
        ++tally.failed;
        if (decision.source == Source::local) {
            ++answers_.local;
            if (decision.allowed) ++tally.local;
        } else {
            ++(decision.allowed ? answers_.allow : answers_.deny);
            if (decision.allowed) ++tally.policy;
        }
    }
    timeline_.note(now, from_store);
    ++answered_;
}

Traffic::Clock::duration Traffic::longest_own_wait() const {
    const std::lock_guard lock{long_waits_mutex_};
    Clock::duration longest = std::min<Clock::duration>(longest_wait(), kLongWait);
    for (const Wait& wait : long_waits_) {
        longest = std::max(longest, wait.until - wait.since - stalls_.within(wait.since, wait.until));
    }
    return longest;
}

void Traffic::sweep() {
    std::size_t asked = 0;
    for (std::uint32_t round = 0; round <= kLimit; ++round) {
        for (std::size_t key = 0; key < tallies_.size(); ++key) {
            if (tallies_[key].asked == 0 || kind_of(key) == Kind::wide) continue;
            ask(key);
            // As fast as the store answers: the pace is no part of what a sweep finds.
            if (++asked % kPaceEvery != 0) continue;
            const bool answered = until([this] { return unanswered() < 400; });
            EXPECT_TRUE(answered);
            if (!answered) return;
        }
    }
    EXPECT_TRUE(until([this] { return unanswered() == 0; }));
}

std::vector<std::uint32_t> Traffic::granted() const {
    std::vector<std::uint32_t> result;
    result.reserve(tallies_.size());
    for (const Tally& tally : tallies_) result.push_back(tally.store);
    return result;
}

std::uint64_t Traffic::wide_used() {
    Decision decision;
    EXPECT_TRUE(until([&] {
        decision = limiter_.peek({{"kind", "wide"}, {"user", user_of(0)}});
        return decision.source == Source::store;
    }));
    return kWideLimit - decision.remaining;
}

}  // namespace stint::inline v0::testing_chaos
