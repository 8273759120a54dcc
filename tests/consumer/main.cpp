// What a program that uses stint looks like from outside: built against an
// installed stint in every supported way, with nothing but the public headers.
#include <stint/stint.hpp>

#include <chrono>
#include <iostream>

int main() {
    using namespace std::chrono_literals;

    stint::Rule submit;
    submit.name = "submit";
    submit.key = {"team"};
    submit.limits = {stint::Limit::fixed_window(3, 1min)};

    stint::MemoryStore store;
    stint::Limiter limiter{store, stint::RuleSet{{submit}}};

    for (int i = 1; i <= 4; ++i) {
        const stint::Decision decision = limiter.check({{"team", "42"}});
        std::cout << "check " << i << (decision.allowed ? ": allowed\n" : ": denied\n");
        if (decision.allowed != (i <= 3)) return 1;
    }
    try {
        static_cast<void>(stint::parse_rules("version: 1\nrules: 7\n"));
        return 1;  // the YAML reader is linked, and refuses this
    } catch (const stint::ConfigError& error) {
        std::cout << error.what() << '\n';
    }
    return limiter.check({{"team", "7"}}).allowed ? 0 : 1;
}
