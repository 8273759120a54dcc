// A scope that a limit guards:
//
//     void Contest::submit(const Team& team) {
//         STINT_RATE_LIMIT(limiter_, team.id, "submit", 3, 60);   // three a minute; throws RateLimitExceeded
//         ...
//     }
//
// or with a Guard, which also gives back at the end of its scope what a
// concurrency limit has lent:
//
//     stint::Guard guard{limiter_, limiter_.check({{"action", "export"}, {"user", user}})};
//     if (!guard) return too_many_requests(stint::http_headers(guard.decision()));
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "stint/key.hpp"
#include "stint/limiter.hpp"
#include "stint/rate_limit_exceeded.hpp"
#include "stint/rule_table.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// Asks a declared rule about a key. Requires: as many parts as the rule's key has.
template <Key K>
[[nodiscard]] Decision check_key(Limiter& limiter, RuleHandle rule, const K& key, CheckOptions options = {}) {
    const detail::KeyTexts<kKeyParts<K>> texts{key};
    return limiter.check(rule, texts.values(), options);
}

namespace detail {

/// Gives back what a decision lent, if it did; a store elsewhere is not waited for.
void end_lease(Limiter& limiter, std::string_view lease) noexcept;

/// Does so at the end of a scope.
class LeaseEnd {
public:
    LeaseEnd(Limiter& limiter, const Decision& decision) : limiter_(limiter), lease_(decision.lease) {}
    LeaseEnd(const LeaseEnd&) = delete;
    LeaseEnd& operator=(const LeaseEnd&) = delete;
    ~LeaseEnd() { end_lease(limiter_, lease_); }

private:
    Limiter& limiter_;
    std::string lease_;
};

}  // namespace detail

/// Holds what a decision lent until the end of the scope. Denied, it holds nothing.
/// Threads: one at a time. The limiter must outlive it.
class [[nodiscard]] Guard {
public:
    /// Takes a decision, also a denial. Throws nothing.
    Guard(Limiter& limiter, Decision decision) noexcept : limiter_(&limiter), decision_(std::move(decision)) {}
    /// Asks a declared rule. Errors: throws RateLimitExceeded if it denies.
    template <Key K = NoKey>
    Guard(Limiter& limiter, RuleHandle rule, const K& key = {}, CheckOptions options = {})
        : limiter_(&limiter), decision_(check_key(limiter, rule, key, options)) {
        if (!decision_.allowed) throw RateLimitExceeded{std::move(decision_)};
    }
    Guard(Guard&& other) noexcept : limiter_(other.limiter_), decision_(std::move(other.decision_)) {
        other.decision_.lease.clear();
    }
    Guard& operator=(Guard&& other) noexcept {
        if (this == &other) return *this;
        release();
        limiter_ = other.limiter_;
        decision_ = std::move(other.decision_);
        other.decision_.lease.clear();
        return *this;
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() { release(); }

    /// Returns: whether the scope may go on.
    [[nodiscard]] explicit operator bool() const noexcept { return decision_.allowed; }
    [[nodiscard]] const Decision& decision() const noexcept { return decision_; }

    /// Gives back what was lent before the end of the scope; a store elsewhere is not waited for. Idempotent.
    void release() noexcept {
        detail::end_lease(*limiter_, decision_.lease);
        decision_.lease.clear();
    }
    /// Lets it last its full time again, for work that takes long. Returns: whether it was held still.
    ChangeAnswer renew() { return limiter_->renew(decision_.lease); }
    /// Gives back what was consumed, for work that was not done. Works once.
    bool refund() { return limiter_->refund(decision_); }

private:
    Limiter* limiter_;
    Decision decision_;
};

/// Text in a template argument, such as the "submit" of rate_limited<"submit", 3, 60>.
template <std::size_t kSize>
struct FixedString {
    // NOLINTNEXTLINE(google-explicit-constructor): text is given as it is
    consteval FixedString(const char (&text)[kSize]) {
        for (std::size_t i = 0; i < kSize; ++i) chars[i] = text[i];
    }
    [[nodiscard]] constexpr std::string_view view() const noexcept { return {chars, kSize - 1}; }

    char chars[kSize]{};
};

namespace detail {

/// Returns: the rule that a call guarded in code declares. Its key has no names yet: `_1`, `_2` and so on.
[[nodiscard]] Rule action_rule(std::string_view action, const Limit& limit, std::size_t parts);

template <FixedString kAction, std::uint64_t kLimit, std::uint64_t kSeconds>
struct WindowRule {
    static_assert(is_rule_name(kAction.view()), "an action is 1 to 64 of A-Z a-z 0-9 _ . -");
    static_assert(kSeconds > 0, "the window of a rate limit has at least one second");
    static_assert(kSeconds <= static_cast<std::uint64_t>(kPeriodMax.count()) / 1'000'000,
                  "the window of a rate limit is at most 36525 days");
    static_assert(kLimit <= kLimitMax, "a rate limit is at most 4294967295");

    template <std::size_t kParts>
    [[nodiscard]] static Rule make(std::integral_constant<std::size_t, kParts>) {
        static_assert(kParts <= kKeyAttributesMax, "a key has 8 parts at most");
        return action_rule(kAction.view(), Limit::sliding_window(kLimit, std::chrono::seconds{kSeconds}), kParts);
    }
};

template <const auto& kTable, FixedString kName>
struct TableRule {
    static constexpr const RuleEntry& kEntry = kTable[kName.view()];

    template <std::size_t kParts>
    [[nodiscard]] static Rule make(std::integral_constant<std::size_t, kParts>) {
        static_assert(kParts == kEntry.key.size(), "the key has other parts than the rule in the table");
        return kEntry.to_rule();
    }
};

/// Where one place in the code keeps the handle of its rule: of the limiter that it was used with last.
class HandleCache {
public:
    template <typename DeclaredRule, Key K>
    RuleHandle get(Limiter& limiter) {
        RuleHandle handle = handle_.load(std::memory_order_relaxed);
        if (!limiter.gave(handle)) {
            handle = limiter.declare(DeclaredRule::make(std::integral_constant<std::size_t, kKeyParts<K>>{}));
            handle_.store(handle, std::memory_order_relaxed);
        }
        return handle;
    }

private:
    std::atomic<RuleHandle> handle_{};
};

template <FixedString kAction, std::uint64_t kLimit, std::uint64_t kSeconds, Key K>
Guard enter(HandleCache& cache, Limiter& limiter, const K& key) {
    return Guard{limiter, cache.get<WindowRule<kAction, kLimit, kSeconds>, K>(limiter), key};
}
template <const auto& kTable, FixedString kName, Key K>
Guard enter(HandleCache& cache, Limiter& limiter, const K& key) {
    return Guard{limiter, cache.get<TableRule<kTable, kName>, K>(limiter), key};
}

}  // namespace detail
}  // namespace stint::inline v0
#pragma GCC visibility pop

#define STINT_JOIN_2(left, right) left##right
#define STINT_JOIN(left, right) STINT_JOIN_2(left, right)

/// At the head of a function: lets it go on if the rule allows it, else throws stint::RateLimitExceeded.
///
///     STINT_RATE_LIMIT(limiter, team.id, "submit", 3, 60);            three in 60 seconds for each team
///     STINT_RATE_LIMIT(limiter, std::tie(user, document), kRules, "edit");   a rule of a table
///     STINT_RATE_LIMIT(limiter, stint::kNoKey, "export", 10, 1);      for all together
///
/// What the rule's concurrency limits lend is given back at the end of the scope.
/// Errors: the first call throws ConfigError if the rule cannot be declared (Limiter::declare()).
#define STINT_RATE_LIMIT(limiter, key, ...)                                          \
    static constinit ::stint::detail::HandleCache STINT_JOIN(stint_rule_, __LINE__); \
    const ::stint::Guard STINT_JOIN(stint_guard_, __LINE__) =                        \
        ::stint::detail::enter<__VA_ARGS__>(STINT_JOIN(stint_rule_, __LINE__), limiter, key)
