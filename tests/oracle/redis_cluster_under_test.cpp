// All stores of the program share one cluster; each has its own keys. Rules
// whose keys lie in several slots are taken one after the other, and the
// answers are those of one step, since nobody else asks meanwhile.
#include <string>

#include "oracle/store_under_test.hpp"
#include "redis/redis_cluster.hpp"
#include "stint/redis_store.hpp"

namespace stint::oracle {

std::unique_ptr<Store> make_store() {
    static testing_redis::RedisCluster cluster;
    static int number = 0;
    RedisOptions options;
    options.topology = Topology::cluster;
    options.addresses = {{"127.0.0.1", cluster.node(0).port()}};
    options.prefix = "t" + std::to_string(++number) + ":";
    options.deadline = std::chrono::seconds{10};  // what is tested is the answer, on a busy machine too
    return std::make_unique<RedisStore>(options);
}

std::size_t steps_percent() {
    return 2;
}

}  // namespace stint::oracle
