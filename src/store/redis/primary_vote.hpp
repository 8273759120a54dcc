// Which server most sentinels take for the primary. One that has not yet
// heard of a failover, or was cut off, does not decide alone.
// Tested by primary_vote_test.cpp. Threads: one at a time.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "resp/value.hpp"
#include "store/redis/endpoint.hpp"

namespace stint::inline v0::store::redis {

/// Returns: 0 if these digits are no port.
[[nodiscard]] inline std::uint16_t read_port(std::string_view digits) noexcept {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    return error == std::errc{} && end == digits.data() + digits.size() ? port : std::uint16_t{0};
}

/// Takes a sentinel's reply to SENTINEL GET-MASTER-ADDR-BY-NAME. Returns: none if it names nobody.
[[nodiscard]] inline std::optional<Endpoint> read_primary(const resp::Value& reply) {
    if (reply.type() != resp::Type::array || reply.size() != 2) return std::nullopt;
    const std::string_view host = reply.begin()->text();
    const std::uint16_t port = read_port(std::next(reply.begin())->text());
    if (host.empty() || port == 0) return std::nullopt;
    return Endpoint{std::string{host}, port};
}

class PrimaryVote {
public:
    explicit PrimaryVote(std::size_t sentinels) : silent_(sentinels), majority_(sentinels / 2 + 1) {}

    /// Takes a sentinel's reply to SENTINEL GET-MASTER-ADDR-BY-NAME; null: it has none.
    void add(const resp::Value* reply) {
        --silent_;
        auto named = reply == nullptr ? std::nullopt : read_primary(*reply);
        if (!named) return;
        const std::size_t votes = ++votes_[*named];
        if (votes > most_) {
            most_ = votes;
            leading_ = std::move(*named);
        }
    }
    /// Returns: whether the rest cannot or need not say anything.
    [[nodiscard]] bool over() const noexcept { return silent_ == 0 || most_ >= majority_; }
    /// Returns: the server with the most votes, of equal ones the first; none if nobody knows any.
    [[nodiscard]] const std::optional<Endpoint>& leading() const noexcept { return leading_; }

private:
    std::size_t silent_;
    std::size_t majority_;
    std::size_t most_ = 0;
    std::map<Endpoint, std::size_t> votes_;
    std::optional<Endpoint> leading_;
};

}  // namespace stint::inline v0::store::redis
