// Many callers at once. Threads: its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "redis/asking.hpp"

namespace stint::inline v0::testing_redis {

/// Callers that ask until it goes away.
class Load {
public:
    Load(Store& store, std::vector<std::vector<AskSpec>> checks, int callers) {
        for (int i = 0; i < callers; ++i) {
            callers_.emplace_back([this, &store, checks](const std::stop_token& stop) {
                for (std::size_t n = 0; !stop.stop_requested(); ++n) {
                    TestCheck check{checks[n % checks.size()]};
                    store.decide({&check.check, 1}, std::nullopt);
                    ++(check.check.error == StoreError::none ? answered : failed);
                    if (check.check.error == StoreError::none && check.check.allowed) ++allowed;
                }
            });
        }
    }
    /// Waits until the callers have ended.
    void stop() { callers_.clear(); }

    std::atomic<std::uint64_t> answered{0};
    std::atomic<std::uint64_t> allowed{0};
    std::atomic<std::uint64_t> failed{0};

private:
    std::vector<std::jthread> callers_;
};

/// 100 checks of one key, 20 at a time, spread over the stores. Returns: how many are allowed; -1 if one failed.
inline int hundred_at_once(const std::vector<std::unique_ptr<RedisStore>>& stores, const AskSpec& spec) {
    std::atomic<int> allowed{0};
    std::atomic<int> failed{0};
    {
        std::vector<std::jthread> callers;
        for (std::size_t caller = 0; caller < 20; ++caller) {
            callers.emplace_back([&, caller] {
                for (int i = 0; i < 5; ++i) {
                    TestCheck check{spec};
                    check.check.lease_id = caller * 5 + static_cast<std::uint64_t>(i) + 1;
                    stores[caller % stores.size()]->decide({&check.check, 1}, std::nullopt);
                    if (check.check.error != StoreError::none) ++failed;
                    if (check.check.allowed) ++allowed;
                }
            });
        }
    }
    return failed > 0 ? -1 : allowed.load();
}

}  // namespace stint::inline v0::testing_redis
