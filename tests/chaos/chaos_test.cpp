// What a fault of Redis costs while 20,000 checks a second go on: how many are
// admitted over their limit, who answered, how long a caller waited, and when
// the store decides again. Each fault prints a line of the table that
// docs/reliability.md quotes: the fault; checks a second; units that the store
// granted over limits / the bound; units that `local` granted / the bound;
// answers by source; the longest wait; after the fault's end the time until
// the first and until all answers are the store's. STINT_LONG makes each take
// 30 s; STINT_CHAOS_SEED says which keys are asked.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

#include "chaos/traffic.hpp"
#include "redis/asking.hpp"
#include "redis/fake_server.hpp"
#include "redis/redis_cluster.hpp"
#include "redis/until.hpp"
#include "store/redis/slot_map.hpp"

namespace stint::inline v0::testing_chaos {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing_redis::options_for;
using testing_redis::PlainClient;
using testing_redis::RedisCluster;
using testing_redis::RedisServer;
using testing_redis::SentinelGroup;
using testing_redis::until;

constexpr milliseconds kDeadline{50};
/// A machine that is busy with other things may let a caller wait for so much longer, and while it stops all of us.
constexpr milliseconds kGrace{500};
/// For so long a replica may lag behind.
constexpr milliseconds kLag{500};
/// Answers are the store's again when they have been for so long.
constexpr milliseconds kQuiet{500};
/// A connection that is lost once a second is made anew at once, and what waits for it is sent.
constexpr milliseconds kCutEvery{1'050};
/// After the end of a fault.
constexpr milliseconds kRecoveryMost{10'000};
/// What is still missing of a run's checks is sent within this time.
constexpr milliseconds kLoadWithin{60'000};

bool is_long() {
    return std::getenv("STINT_LONG") != nullptr;
}

/// What a run sends at least at 21,000 a second: 20,000 a second for as long as it is meant to take.
std::uint64_t checks_least() {
    return is_long() ? 600'000 : 60'000;
}

/// Less than that is no load, whatever the machine is busy with.
constexpr double kRateLeast = 2'000;

/// For each key, how many units the store may grant over the limit.
using Bound = std::vector<std::uint32_t>;

std::uint64_t sum_of(const Bound& bound) {
    return std::accumulate(bound.begin(), bound.end(), std::uint64_t{0});
}

/// Returns: what was granted in between, at most one more limit for each key.
Bound granted_between(const Bound& before, const Bound& after) {
    Bound bound;
    for (std::size_t key = 0; key < after.size(); ++key) bound.push_back(std::min(after[key] - before[key], kLimit));
    return bound;
}

/// Returns: one more limit for each key that had something.
Bound one_more_for(Bound granted) {
    for (std::uint32_t& units : granted) units = std::min(units, kLimit);
    return granted;
}

std::string in_ms(std::optional<milliseconds> time, milliseconds since) {
    return time ? fmt::format("{} ms", (*time - since).count()) : "never";
}

class ChaosTest : public testing::Test {
protected:
    void begin(RedisOptions options) {
        options.deadline = kDeadline;
        options.deny_cache = false;  // a denial that is repeated asks nobody, and says nothing of the server
        store_ = std::make_unique<RedisStore>(std::move(options));
        const char* given = std::getenv("STINT_CHAOS_SEED");
        const auto seed = given != nullptr ? static_cast<std::uint32_t>(std::stoul(given)) : std::random_device{}();
        RecordProperty("seed", std::to_string(seed));
        trace_.emplace(__FILE__, __LINE__, fmt::format("STINT_CHAOS_SEED={}", seed));
        traffic_ = std::make_unique<Traffic>(*store_, seed);
        traffic_->wait_for_store();
        traffic_->start();
        if (!is_long()) settle_on_a_load();
        wait(is_long() ? seconds{10} : milliseconds{1'200});
    }

    /// On a machine that cannot bear the load although nothing is broken, half of it tells as much of what is granted.
    void settle_on_a_load() {
        while (traffic_->rate() > kRateLeast) {
            const milliseconds since = now();
            const auto bears = [this, since] {
                return traffic_->timeline().mostly_from_store(since, kQuiet).has_value();
            };
            if (until(bears, seconds{4})) return;
            traffic_->slow_down();
        }
    }

    void wait(milliseconds time) {
        const milliseconds end = now() + time;
        (void)until([this, end] { return now() >= end; }, time + seconds{20});
    }

    /// The first grants that may be missing at the end of a replication lag, before a fault.
    [[nodiscard]] Bound granted_before_the_lag() {
        Bound granted = traffic_->granted();
        wait(kLag);
        return granted;
    }

    /// After a server is gone: answers of it that were on their way have come. Returns: what it granted in all.
    [[nodiscard]] Bound granted_in_all() {
        wait(2 * kDeadline);
        return traffic_->granted();
    }

    void fault_has_ended() { ended_ = now(); }

    /// Waits for the recovery, and prints and checks what has come of a fault. `lossless`: nothing is forgotten.
    void finish(const char* fault, const Bound& bound, bool lossless = false) {
        EXPECT_TRUE(until([this] { return traffic_->timeline().mostly_from_store(ended_, kQuiet).has_value(); },
                          kRecoveryMost + kQuiet));
        wait(is_long() ? std::max(milliseconds{0}, seconds{30} - now()) : milliseconds{300});
        // A count, not a speed: a machine that is busy takes longer for it.
        const double share = traffic_->rate() / kChecksPerSecond;
        const auto least = static_cast<std::uint64_t>(share * static_cast<double>(checks_least()));
        EXPECT_TRUE(until([this, least] { return traffic_->asked() >= least; }, kLoadWithin));
        const double per_second = traffic_->stop();
        EXPECT_EQ(traffic_->unanswered(), 0U);
        const auto longest = std::chrono::duration_cast<milliseconds>(traffic_->longest_wait());
        EXPECT_LE(traffic_->longest_own_wait(), kDeadline + kGrace)
            << longest.count() << " ms with the machine's stalls";
        const auto first = traffic_->timeline().first_from_store(ended_);
        const auto all = traffic_->timeline().all_from_store(ended_, kQuiet);
        const Answers& answers = traffic_->answers();
        const std::string by_source = fmt::format("{} store, {} local, {} allow, {} deny", answers.store.load(),
                                                  answers.local.load(), answers.allow.load(), answers.deny.load());
        traffic_->sweep();
        const auto [over, local, local_bound] = check_tallies(bound);
        check_wide(lossless);
        fmt::print("| {} | {:.0f} | {} / {} | {} / {} | {} | {} ms | {}, {} |\n", fault, per_second, over,
                   sum_of(bound), local, local_bound, by_source, longest.count(), in_ms(first, ended_),
                   in_ms(all, ended_));
        std::fflush(stdout);
    }

    [[nodiscard]] milliseconds now() const { return traffic_->timeline().now(); }
    [[nodiscard]] Traffic& traffic() noexcept { return *traffic_; }

private:
    struct Sums {
        std::uint64_t over = 0;
        std::uint64_t local = 0;
        std::uint64_t local_bound = 0;
    };

    /// Each key has at most what its bound allows, whoever granted it.
    [[nodiscard]] Sums check_tallies(const Bound& bound) const {
        Sums sums;
        for (std::size_t key = 0; key < bound.size(); ++key) {
            const Tally& tally = traffic_->tallies()[key];
            const Kind kind = Traffic::kind_of(key);
            if (kind == Kind::wide) continue;
            const std::uint32_t over = std::max(tally.store.load(), kLimit) - kLimit;
            EXPECT_LE(over, bound[key]) << Traffic::user_of(key) << ", kind " << static_cast<int>(kind);
            EXPECT_LE(tally.local, kind == Kind::log ? kShare : 0) << Traffic::user_of(key);
            EXPECT_TRUE(tally.policy == 0 || kind == Kind::bucket) << Traffic::user_of(key);
            sums.over += over;
            sums.local += tally.local;
            if (kind == Kind::log && tally.failed > 0) sums.local_bound += kShare;
        }
        return sums;
    }

    /// No check is counted twice, also where nobody knows whether it was; and none that was granted is missing.
    void check_wide(bool lossless) {
        const Tally& tally = traffic_->tallies()[static_cast<std::size_t>(Kind::wide)];
        const std::uint64_t used = traffic_->wide_used();
        EXPECT_LE(used, tally.asked) << tally.failed << " failed";
        EXPECT_TRUE(used >= tally.store || !lossless) << used;
    }

    std::optional<testing::ScopedTrace> trace_;
    std::unique_ptr<RedisStore> store_;
    std::unique_ptr<Traffic> traffic_;
    milliseconds ended_{0};
};

const Bound kNothing(Traffic::kKeys);

bool is_primary(const RedisServer& server) {
    try {
        // Each time on a new connection: a server that changes its role closes all others.
        return PlainClient{server.port()}.ask({"ROLE"}).starts_with("*3\r\n$6\r\nmaster");
    } catch (const std::runtime_error&) {
        return false;
    }
}

TEST_F(ChaosTest, AServerThatIsKilledForgetsWhatItHadAndNoMore) {
    RedisServer server;
    begin(options_for(server.port()));
    server.kill();
    const Bound lost = granted_in_all();
    wait(is_long() ? milliseconds{2'000} : milliseconds{400});
    server.start();
    fault_has_ended();
    finish("Redis killed, and started again without its data", one_more_for(lost));
}

TEST_F(ChaosTest, AServerThatIsStoppedForAWhileGivesNothingAway) {
    RedisServer server;
    begin(options_for(server.port()));
    server.signal(SIGSTOP);
    wait(seconds{2});
    server.signal(SIGCONT);
    fault_has_ended();
    finish("Redis stopped for 2 s", kNothing, true);
}

TEST_F(ChaosTest, ConnectionsThatAreCutLoseAnswersAndCountNothingTwice) {
    RedisServer server;
    begin(options_for(server.port()));
    PlainClient client{server.port()};
    for (int cut = 0; cut < (is_long() ? 10 : 3); ++cut) {
        // What comes meanwhile is decided in one turn, and the connection closed before the answers are written.
        server.signal(SIGSTOP);
        wait(kDeadline / 2);
        const std::jthread killer{[&client] { (void)client.ask({"CLIENT", "KILL", "TYPE", "normal"}); }};
        server.signal(SIGCONT);
        wait(kCutEvery);
    }
    fault_has_ended();
    finish("connections cut by the server", kNothing, true);
}

TEST_F(ChaosTest, AFailoverForgetsWhatTheReplicaHadNotHeardOf) {
    SentinelGroup group;
    begin(group.options());
    const Bound before = granted_before_the_lag();
    group.primary.kill();
    const Bound lost = granted_between(before, granted_in_all());
    EXPECT_TRUE(until([&] { return is_primary(group.replica); }));
    fault_has_ended();
    finish("Sentinel: primary killed, replica promoted", lost);
}

class OldPrimaryTest : public ChaosTest {
protected:
    /// A failover that somebody asks for, while the primary is well, and serves until a sentinel tells it.
    void fail_over(const SentinelGroup& group, const char* fault) {
        begin(group.options());
        const Bound before = granted_before_the_lag();
        // A sentinel on a busy machine may give up a failover that it began; one that is under way it does not begin
        // anew.
        EXPECT_TRUE(until([&] {
            if (is_primary(group.replica)) return true;
            (void)group.sentinels[0].cli("SENTINEL FAILOVER main");
            return false;
        }));
        EXPECT_TRUE(until([&] { return !is_primary(group.primary); }));
        fault_has_ended();
        finish(fault, granted_between(before, granted_in_all()));
    }
};

TEST_F(OldPrimaryTest, GivesAwayWhatItServesUntilItStepsDown) {
    fail_over(SentinelGroup{}, "Sentinel: failover while the primary serves on");
}

TEST_F(OldPrimaryTest, ServesOnlyAsLongAsAReplicaFollowsItIfToldSo) {
    SentinelGroup group;
    group.primary.cli("CONFIG SET min-replicas-to-write 1");
    fail_over(group, "the same with `min-replicas-to-write 1`");
}

TEST_F(ChaosTest, SlotsThatMoveUnderLoadCostNothing) {
    RedisCluster cluster;
    begin(cluster.options());
    const auto slot_of_user = [](std::size_t user) {
        return store::redis::slot_of(fmt::format("{{user={}}}", Traffic::user_of(user * kKinds)));
    };
    const milliseconds until_then = now() + (is_long() ? seconds{10} : seconds{2});
    for (std::size_t round = 0; now() < until_then; ++round) {
        cluster.move_slot(slot_of_user(0), round % 3);
        cluster.move_slot(slot_of_user(1 + round), (round + 1) % 3);
    }
    fault_has_ended();
    finish("Cluster: the hot slot and others moved", kNothing, true);
    const Answers& answers = traffic().answers();
    EXPECT_GE(answers.store, answers.local + answers.allow + answers.deny);  // no outage
}

TEST_F(ChaosTest, ALostPrimaryOfAClusterForgetsWhatItsReplicaHadNotHeardOf) {
    RedisCluster cluster;
    begin(cluster.options());
    const auto primary_of = [](std::size_t key) {
        return RedisCluster::first_owner_of(store::redis::slot_of(fmt::format("{{user={}}}", Traffic::user_of(key))));
    };
    const std::size_t hot = primary_of(0);
    const RedisServer& replica = cluster.node(RedisCluster::first_replica_of(hot));
    const Bound before = granted_before_the_lag();
    cluster.node(hot).kill();
    Bound lost = granted_between(before, granted_in_all());
    for (std::size_t key = 0; key < lost.size(); ++key) {
        if (lost[key] > 0 && primary_of(key) != hot) lost[key] = 0;
    }
    EXPECT_TRUE(until([&] { return is_primary(replica); }));
    fault_has_ended();
    finish("Cluster: primary of the hot slot killed", lost);
}

TEST_F(ChaosTest, AClockThatStepsEndsWindowsWhenItGoesForwardAndGivesNothingWhenItGoesBack) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("stint-clock-{}", getpid());
    std::filesystem::create_directories(folder);
    const std::string file = (folder / "offset").string();
    const auto step_to = [&file](const char* offset) {
        std::ofstream{file + ".new"} << offset << '\n';
        std::filesystem::rename(file + ".new", file);
    };
    step_to("+0");
    // Before jemalloc, which asks for the time while libfaketime starts, libc's malloc must be found.
    RedisServer server{{},
                       RedisServer::Begin::now,
                       {"LD_PRELOAD=" STINT_FAKETIME " libc.so.6", "FAKETIME_TIMESTAMP_FILE=" + file,
                        "FAKETIME_CACHE_DURATION=1", "FAKETIME_DONT_FAKE_MONOTONIC=1"}};
    PlainClient client{server.port()};
    const auto server_is_ahead = [&client] {
        // *2 $10 <seconds> $6 <microseconds>
        const std::string reply = client.ask({"TIME"});
        return std::stoll(reply.substr(reply.find("\r\n", 5) + 2)) > std::time(nullptr) + 1'800;
    };
    begin(options_for(server.port()));
    const milliseconds dwell = is_long() ? milliseconds{5'000} : milliseconds{1'000};
    step_to("+3600");
    EXPECT_TRUE(until(server_is_ahead));
    Bound bound = one_more_for(traffic().granted());
    for (std::size_t key = 0; key < bound.size(); ++key) {
        const Kind kind = Traffic::kind_of(key);
        if (kind == Kind::window) continue;  // has ended for all
        // Half of a bucket's period has passed, and of a log's, from which nothing has left.
        bound[key] = kind == Kind::bucket ? std::min(bound[key], kLimit / 2) : 0;
    }
    wait(dwell);
    step_to("+0");
    EXPECT_TRUE(until([&] { return !server_is_ahead(); }));
    fault_has_ended();
    finish("clock of the Redis host 1 h forward, and back", bound, true);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace stint::inline v0::testing_chaos
