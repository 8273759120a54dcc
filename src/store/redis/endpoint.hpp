// Where a server listens. Threads: a value.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace stint::inline v0::store::redis {

struct Endpoint {
    std::string host{};
    std::uint16_t port = 0;
    friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

[[nodiscard]] inline std::string to_string(const Endpoint& endpoint) {
    const bool v6 = endpoint.host.find(':') != std::string::npos;
    return (v6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

}  // namespace stint::inline v0::store::redis
