// What `--store URL` names: this process's memory, or a server.
// Threads: one at a time; the store that it opens may be used by any.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "stint/redis_store.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::cli {

inline constexpr const char* kMemoryUrl = "memory://";

class StoreChoice {
public:
    /// `memory_bytes`: for counters in memory. Errors: throws ConfigError for a URL that cannot be.
    StoreChoice(const std::string& url, std::size_t memory_bytes);

    /// Returns: the server's options, or null if counters are kept in memory.
    [[nodiscard]] const RedisOptions* server() const noexcept { return server_ ? &*server_ : nullptr; }
    /// Returns: the URL without passwords.
    [[nodiscard]] std::string name() const;

    /// For a command that asks once: nothing waits behind it, and no connection is there yet.
    void be_patient();

    /// Asks the server whether it can be used, and how it is set up.
    /// Returns: warnings for these rules; none for memory, or where the server does not tell.
    /// Errors: it cannot be used; says why.
    [[nodiscard]] Result<std::vector<std::string>> look(const RuleSet& rules, std::chrono::milliseconds timeout) const;

    /// Errors: throws ConfigError.
    [[nodiscard]] std::unique_ptr<Store> open(std::function<void(const std::string&)> log = {}) const;

private:
    std::optional<RedisOptions> server_;
    std::size_t memory_bytes_;
};

/// How long a command that asks once waits for a server.
inline constexpr std::chrono::milliseconds kPatience{5000};

}  // namespace stint::inline v0::cli
