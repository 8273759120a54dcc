// A check as an Asio operation, in a project that asks for the component asio.
#include <stint/asio.hpp>
#include <stint/stint.hpp>

#include <boost/asio/use_future.hpp>

int main() {
    stint::MemoryStore store;
    stint::Limiter limiter{store, stint::RuleSet{}};
    const stint::RuleHandle once = limiter.declare({.name = "once", .limits = {stint::per_minute(1).to_limit()}});
    const auto allowed = [&] {
        return stint::async_check(limiter, once, {}, {}, boost::asio::use_future).get().allowed;
    };
    return allowed() && !allowed() ? 0 : 1;
}
