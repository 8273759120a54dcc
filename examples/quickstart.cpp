// The example of the README, asked four times, with the header fields of each answer.
#include <cstdio>

#include "stint/stint.hpp"

int main() {
    using namespace std::chrono_literals;
    stint::MemoryStore store;
    stint::Rule submit{.name = "submit", .key = {"team"}, .limits = {stint::Limit::fixed_window(3, 60s)}};
    stint::Limiter limiter{store, stint::RuleSet{{submit}}};
    for (int i = 0; i < 4; ++i) {
        const stint::Decision d = limiter.check({{"team", "42"}});
        std::printf("%s, %d left\n", d.allowed ? "allowed" : "denied", static_cast<int>(d.remaining));
        for (const auto& [name, value] : stint::http_headers(d)) std::printf("  %s: %s\n", name.c_str(), value.c_str());
    }
}
