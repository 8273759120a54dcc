// All stores of the program share one cluster; each has its own keys. In every
// other store each rule counts by keys of its own, so that the rules of a
// check lie in several slots and are taken one after the other: the answers
// are those of one step, since nobody else asks meanwhile.
#include <deque>
#include <string>
#include <vector>

#include "oracle/store_under_test.hpp"
#include "redis/redis_cluster.hpp"
#include "stint/redis_store.hpp"

namespace stint::inline v0::oracle {
namespace {

class KeysOfEachRule : public Store {
public:
    explicit KeysOfEachRule(RedisOptions options) : store_(std::move(options)) {}

    void decide(std::span<Check> checks, std::optional<Instant> now) noexcept override {
        for (Check& check : checks) {
            std::deque<std::string> keys;
            std::vector<Ask> asks;
            for (const Ask& ask : check.asks) asks.push_back(with_own_key(ask, keys));
            Check changed = check;
            changed.asks = asks;
            store_.decide({&changed, 1}, now);
            check.allowed = changed.allowed;
            check.error = changed.error;
            for (std::size_t i = 0; i < asks.size(); ++i) {
                check.asks[i].banned = asks[i].banned;
                check.asks[i].banned_for = asks[i].banned_for;
            }
        }
    }
    void refund(const Limit& limit, const Answer& answer, std::uint64_t lease_id,
                std::optional<Instant> now) noexcept override {
        store_.refund(limit, answer, lease_id, now);
    }
    ChangeAnswer release(const CounterRef& counter, std::uint64_t lease_id,
                         std::optional<Instant> now) noexcept override {
        return store_.release(counter, lease_id, now);
    }
    ChangeAnswer renew(const CounterRef& counter, std::uint64_t lease_id,
                       std::optional<Instant> now) noexcept override {
        return store_.renew(counter, lease_id, now);
    }
    ChangeAnswer reset(const Ask& ask) noexcept override {
        std::deque<std::string> keys;
        return store_.reset(with_own_key(ask, keys));
    }
    [[nodiscard]] std::optional<std::string> refusal(const Limit& limit) const override {
        return store_.refusal(limit);
    }
    [[nodiscard]] Instant now() const noexcept override { return store_.now(); }

private:
    static Ask with_own_key(const Ask& ask, std::deque<std::string>& keys) {
        Ask changed = ask;
        changed.key = keys.emplace_back(std::string{ask.rule} + "/" + std::string{ask.key});
        return changed;
    }

    RedisStore store_;
};

}  // namespace

std::unique_ptr<Store> make_store() {
    static testing_redis::RedisCluster cluster;
    static int number = 0;
    RedisOptions options;
    options.topology = Topology::cluster;
    options.addresses = {{"127.0.0.1", cluster.node(0).port()}};
    options.prefix = "t" + std::to_string(++number) + ":";
    options.deadline = std::chrono::seconds{10};  // what is tested is the answer, on a busy machine too
    if (number % 2 == 0) return std::make_unique<RedisStore>(options);
    return std::make_unique<KeysOfEachRule>(options);
}

std::size_t steps_percent() {
    return 5;
}

// A part that is taken and given back has forgotten what was over at that time, as a grant does. When the clock then
// steps back, the model still knows it.
bool rules_step_back() {
    return false;
}

}  // namespace stint::inline v0::oracle
