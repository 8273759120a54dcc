// Loads the scripts on all servers of a store: for users of checks who may not
// load them themselves. Redis keeps scripts neither on disk nor on replicas.
// Tested by script_loader_test.cpp, on real servers. Threads: any.
#pragma once

#include <chrono>
#include <vector>

#include "base/result.hpp"
#include "stint/redis_store.hpp"

namespace stint::inline v0::store::redis {

struct LoadedAt {
    Address server{};
    Result<void> done{};  ///< why the scripts are not there
};

/// Asks a cluster's node for all nodes, or a Sentinel for primary and replicas, and loads the scripts on each.
/// `timeout` is for each step. Errors: nobody says which servers there are.
[[nodiscard]] Result<std::vector<LoadedAt>> load_scripts(const RedisOptions& options,
                                                         std::chrono::milliseconds timeout);

}  // namespace stint::inline v0::store::redis
