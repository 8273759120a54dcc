// A server that answers as a test tells it, and a proxy before a real server
// that loses, delays and cuts replies.
// Threads: the handler is called on the server's own, one call at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stint::inline v0::testing_redis {

using Command = std::vector<std::string>;

struct Reply {
    std::string bytes;
    std::chrono::milliseconds after{0};  ///< what comes later on the connection waits too
    bool cut = false;                    ///< close the connection behind it
};

/// Who answers what a client says before its first call.
enum class Handshake : std::uint8_t { granted, by_handler };

class FakeServer {
public:
    /// What EVALSHA is answered; the number tells connections apart, from 1.
    using Handler = std::function<Reply(const Command&, int connection)>;

    /// If granted, everybody is signed in and scripts are taken as loaded; all else goes to `handler`.
    explicit FakeServer(Handler handler, Handshake handshake = Handshake::granted);
    ~FakeServer();
    FakeServer(const FakeServer&) = delete;
    FakeServer& operator=(const FakeServer&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept;
    [[nodiscard]] int connections() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Returns: what a script of one limit answers if it grants every check it is asked for.
[[nodiscard]] std::string granted(const Command& evalsha);

/// A blocking connection to a real server.
class PlainClient {
public:
    explicit PlainClient(std::uint16_t port);
    ~PlainClient();
    PlainClient(const PlainClient&) = delete;
    PlainClient& operator=(const PlainClient&) = delete;

    /// Returns: the bytes of the reply. Errors: throws std::runtime_error.
    [[nodiscard]] std::string ask(const Command& command);

private:
    int fd_ = -1;
};

}  // namespace stint::inline v0::testing_redis
