// All stores of the program share one server; each has its own keys.
#include <string>

#include "oracle/store_under_test.hpp"
#include "redis/redis_server.hpp"
#include "stint/redis_store.hpp"

namespace stint::inline v0::oracle {

std::unique_ptr<Store> make_store() {
    static testing_redis::RedisServer server;
    static int number = 0;
    RedisOptions options;
    options.addresses = {{"127.0.0.1", server.port()}};
    options.prefix = "t" + std::to_string(++number) + ":";
    options.deadline = std::chrono::seconds{10};  // what is tested is the answer, on a busy machine too
    return std::make_unique<RedisStore>(options);
}

std::size_t steps_percent() {
    return 40;
}

bool rules_step_back() {
    return true;
}

}  // namespace stint::inline v0::oracle
