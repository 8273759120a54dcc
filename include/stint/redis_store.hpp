// States in Redis or Valkey, so that several servers share one answer: every
// check is one script call, atomic and by the server's clock. What is
// guaranteed when, and how to set a server up: docs/redis.md.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stint/store.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// How the server that holds the states is found.
enum class Topology : std::uint8_t {
    single,    ///< it is the one address
    sentinel,  ///< the addresses are Sentinels, which know it by `primary_name`
    cluster,   ///< the addresses are nodes of a cluster, which name all others
};

struct Address {
    std::string host{};
    std::uint16_t port = 0;
    friend bool operator==(const Address&, const Address&) = default;
};

struct RedisOptions {
    Topology topology = Topology::single;
    std::vector<Address> addresses{{"127.0.0.1", 6379}};  ///< at least one
    std::string primary_name{};                           ///< Topology::sentinel only

    std::string user{};  ///< empty: the default user
    std::string password{};
    std::string password_file{};  ///< read for each connection; while it cannot be, the last password counts
    std::string sentinel_user{};  ///< of the Sentinels, which have users of their own
    std::string sentinel_password{};
    std::string sentinel_password_file{};  ///< as password_file
    int database = 0;

    bool tls = false;
    std::string ca_file{};           ///< PEM; empty: the system's certificates
    std::string certificate_file{};  ///< PEM, of the client; empty: none
    std::string key_file{};          ///< PEM, of the client's certificate
    std::string server_name{};       ///< that the server's certificate must name; empty: the host

    std::string prefix = "stint:";               ///< of every key
    bool digest_key_names = false;               ///< keep all attribute values out of Redis
    std::array<unsigned char, 16> digest_key{};  ///< of the digests that stand for values; the same on all servers

    /// Deny at once, for at most a second, what the server has denied until a later time; docs/redis.md.
    bool deny_cache = true;

    std::chrono::milliseconds deadline{20};  ///< for each check, connected or not
    std::size_t connections = 1;             ///< each with a thread of its own
    std::size_t waiting_max = 65'536;        ///< checks that wait at one connection; more are refused

    /// Called from the store's threads when a connection is lost, refused or up again, or a
    /// password file cannot be read.
    std::function<void(const std::string&)> log{};
};

/// Reads options as one text:
///
///     redis://[user[:password]@]host[:port][/database]
///     redis+sentinel://[user[:password]@]host[:port][,host[:port]...]/name[/database]
///     redis+cluster://[user[:password]@]host[:port][,host[:port]...]
///
/// `rediss` instead of `redis` is TLS. `?name=value&name=value` at the end sets
/// the other options; docs/redis.md lists them. Files for passwords and digest
/// keys are read here. Errors: throws ConfigError with every problem; no message
/// contains a password.
[[nodiscard]] RedisOptions parse_redis_url(std::string_view url);

/// A store that runs threads of its own. Its functions block up to the
/// deadline, except now(), release_soon() and those whose names end in `_async`.
class RedisStore final : public Store {
public:
    /// Connects in the background: a server that is down is no error here.
    /// Errors: throws ConfigError for options that cannot be.
    explicit RedisStore(RedisOptions options);
    /// Requires: no call is under way.
    ~RedisStore() override;

    void decide(std::span<Check> checks, std::optional<Instant> now) noexcept override;
    void decide_async(std::span<Check> checks, std::optional<Instant> now, Completion done) noexcept override;
    [[nodiscard]] bool can_fail() const noexcept override { return true; }
    void refund(const Limit& limit, const Answer& answer, std::uint64_t lease_id,
                std::optional<Instant> now) noexcept override;
    ChangeAnswer release(const CounterRef& counter, std::uint64_t lease_id,
                         std::optional<Instant> now) noexcept override;
    void release_soon(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now) noexcept override;
    ChangeAnswer renew(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now) noexcept override;
    ChangeAnswer reset(const Ask& ask) noexcept override;
    void release_async(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now,
                       ChangeAnswer& answer, Completion done) noexcept override;
    void renew_async(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now,
                     ChangeAnswer& answer, Completion done) noexcept override;
    void reset_async(const Ask& ask, ChangeAnswer& answer, Completion done) noexcept override;
    [[nodiscard]] std::optional<std::string> refusal(const Limit& limit) const override;
    /// This machine's clock. Checks go by the server's.
    [[nodiscard]] Instant now() const noexcept override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace stint::inline v0
#pragma GCC visibility pop
