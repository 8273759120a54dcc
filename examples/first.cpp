#include <stint/stint.hpp>

#include <iostream>
#include <string>

// The business: no word about limits.
int submit(const std::string& team, const std::string& answer) {
    return static_cast<int>(team.size() + answer.size());
}

int main() {
    stint::MemoryStore store;  // or a stint::RedisStore, shared by all servers
    stint::Limiter limiter{store, stint::RuleSet{}};

    auto limited = stint::rate_limited<"submit", 3, 60>(  // three in any 60 seconds for each team
        limiter, &submit, [](const std::string& team, const std::string&) { return std::string_view{team}; });

    for (int i = 1; i <= 4; ++i) {
        try {
            limited("ours", "forty-two");
            std::cout << "call " << i << ": done\n";
        } catch (const stint::RateLimitExceeded& denial) {
            std::cout << "call " << i << ": " << denial.what() << '\n';
        }
    }
}
