// As main.cpp, with the counters in a Redis server, whose URL is the argument.
#include <stint/redis_store.hpp>
#include <stint/stint.hpp>

#include <chrono>
#include <iostream>

int main(int argc, char** argv) {
    using namespace std::chrono_literals;
    if (argc != 2) return 2;

    stint::RedisOptions options = stint::parse_redis_url(argv[1]);
    options.deadline = 5s;
    stint::RedisStore store{options};
    stint::Rule submit;
    submit.name = "submit";
    submit.key = {"team"};
    submit.limits = {stint::Limit::fixed_window(3, 1min)};
    stint::Limiter limiter{store, stint::RuleSet{{submit}}};

    for (int i = 1; i <= 4; ++i) {
        const stint::Decision decision = limiter.check({{"team", "42"}});
        std::cout << "check " << i << (decision.allowed ? ": allowed\n" : ": denied\n");
        if (decision.allowed != (i <= 3) || decision.source != stint::Source::store) return 1;
    }
    return 0;
}
