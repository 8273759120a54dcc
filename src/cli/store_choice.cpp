#include "cli/store_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "stint/error.hpp"
#include "stint/memory_store.hpp"
#include "store/redis/command_client.hpp"
#include "store/redis/redis_url.hpp"

namespace stint::inline v0::cli {
namespace {

using store::redis::CommandClient;

/// A bucket's time to live is its debt, so that volatile-ttl drops those first that are nearest to full. With all
/// else it drops those at their limit.
bool only_buckets(const RuleSet& rules) {
    return std::ranges::all_of(rules.rules(), [](const Rule& rule) {
        return !rule.ban && std::ranges::all_of(rule.limits, [](const Limit& limit) {
            return limit.algorithm() == Algorithm::token_bucket;
        });
    });
}

/// Returns: what Redis drops when its memory is full; empty if it does not tell.
std::string maxmemory_policy(CommandClient& client) {
    constexpr std::string_view kField = "\nmaxmemory_policy:";
    if (const auto info = client.ask({"INFO", "memory"})) {
        const std::string_view text = (*info)->text();
        const std::size_t at = text.find(kField);
        if (at != std::string_view::npos) {
            const std::string_view value = text.substr(at + kField.size());
            return std::string{value.substr(0, value.find_first_of("\r\n"))};
        }
    }
    if (const auto config = client.ask({"CONFIG", "GET", "maxmemory-policy"}); config && (*config)->size() == 2) {
        return std::string{std::next((*config)->begin())->text()};
    }
    return {};
}

}  // namespace

StoreChoice::StoreChoice(const std::string& url, std::size_t memory_bytes) : memory_bytes_(memory_bytes) {
    if (url == kMemoryUrl) return;
    if (!store::redis::is_redis_url(url)) {
        throw ConfigError{{{"", 0, 0,
                            "store URL: expected memory:// or redis://host:port/database (also rediss, redis+sentinel, "
                            "redis+cluster)"}}};
    }
    server_ = parse_redis_url(url);
}

std::string StoreChoice::name() const {
    return server_ ? store::redis::url_without_secrets(*server_) : kMemoryUrl;
}

void StoreChoice::be_patient() {
    if (server_) server_->deadline = std::max(server_->deadline, kPatience);
}

Result<std::vector<std::string>> StoreChoice::look(const RuleSet& rules, std::chrono::milliseconds timeout) const {
    std::vector<std::string> warnings;
    if (!server_) return warnings;
    const auto client = CommandClient::connect(*server_, timeout);
    if (!client) return failure(fmt::format("the store cannot be reached: {}", client.error()));
    if (const auto time = (*client)->ask({"TIME"}); !time) {
        return failure(fmt::format("the store cannot be used: {}", time.error()));
    }
    const std::string policy = maxmemory_policy(**client);
    if (!policy.empty() && policy != "noeviction" && !(policy == "volatile-ttl" && only_buckets(rules))) {
        warnings.push_back(fmt::format(
            "{} has the maxmemory-policy {}: when its memory is full it drops counters, and lets those pass who "
            "are at their limit; noeviction does not",
            name(), policy));
    }
    return warnings;
}

std::unique_ptr<Store> StoreChoice::open(std::function<void(const std::string&)> log) const {
    if (!server_) return std::make_unique<MemoryStore>(MemoryStoreOptions{.max_memory = memory_bytes_, .clock = {}});
    RedisOptions options = *server_;
    options.log = std::move(log);
    return std::make_unique<RedisStore>(std::move(options));
}

}  // namespace stint::inline v0::cli
