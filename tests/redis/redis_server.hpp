// Real servers of a test's own, on free loopback ports, each in a folder that
// goes with it: a Redis, a Sentinel. Threads: one at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stint::inline v0::testing_redis {

/// A process with a folder and a port that answers redis-cli.
class ServerProcess {
public:
    virtual ~ServerProcess();
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

    /// Runs a command with redis-cli. Returns: what it prints.
    std::string cli(const std::string& command) const;

    void signal(int number) const;
    /// Kills it at once (SIGKILL).
    void kill();
    /// Starts it again on the same port, with the same folder, and waits until it answers.
    void start();
    /// Starts it again without waiting: it may have to load for a while what it kept.
    void launch();

protected:
    ServerProcess();
    void set_command(std::vector<std::string> words) { words_ = std::move(words); }

private:
    std::vector<std::string> words_;
    std::filesystem::path folder_;
    std::uint16_t port_ = 0;
    pid_t pid_ = 0;
};

class RedisServer : public ServerProcess {
public:
    enum class Begin : std::uint8_t { now, later };

    /// `environment`: lines NAME=VALUE. Errors: throws std::runtime_error.
    explicit RedisServer(const std::vector<std::string>& arguments = {}, Begin begin = Begin::now,
                         const std::vector<std::string>& environment = {});
};

class RedisSentinel : public ServerProcess {
public:
    /// Watches a primary under the name `main`; two must agree that it is down.
    explicit RedisSentinel(std::uint16_t primary_port);
};

/// Returns: a loopback port that nothing listens on just now, and that no other call has given.
[[nodiscard]] std::uint16_t free_port();

}  // namespace stint::inline v0::testing_redis
