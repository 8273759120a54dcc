// A real redis-server of a test's own, on a free loopback port, in a folder
// that goes with it. Threads: one at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stint::testing_redis {

class RedisServer {
public:
    /// Starts it and waits until it answers. Errors: throws std::runtime_error.
    explicit RedisServer(std::vector<std::string> arguments = {});
    ~RedisServer();
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

    /// Runs a command with redis-cli. Returns: what it prints.
    std::string cli(const std::string& command) const;

    void signal(int number) const;
    /// Kills it at once (SIGKILL).
    void kill();
    /// Starts it again on the same port, with the same folder.
    void start();

private:
    void wait_until_up() const;

    std::vector<std::string> arguments_;
    std::filesystem::path folder_;
    std::uint16_t port_ = 0;
    pid_t pid_ = 0;
};

/// Returns: a loopback port that nothing listens on just now.
[[nodiscard]] std::uint16_t free_port();

}  // namespace stint::testing_redis
