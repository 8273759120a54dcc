// One line where a limit applies:
//
//     auto submit = stint::rate_limited<"submit", 3, 60>(limiter, &Contest::submit,
//         [](auto& contest, const Team& team, auto&&...) { return team.id; });
//     submit(contest, team, answer);   // throws stint::RateLimitExceeded on the fourth call of a team in a minute
//
// What it wraps is anything that can be called: functions, members, lambdas.
// try_rate_limited() returns a RateLimitResult instead of throwing. With
// stint/asio.hpp, functions that return an awaitable are wrapped the same way.
//
// Whom a call counts for says the last argument: a function that sees the
// call's arguments, or takes none and asks its own surroundings. It returns a
// Key (key.hpp), or a KeyAndCost. Without it, all calls count together.
//
// A rule of the same name in the rule file takes the place of the numbers
// given here (Limiter::declare()).
#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "stint/guard.hpp"
#include "stint/key.hpp"
#include "stint/limiter.hpp"
#include "stint/rate_limit_exceeded.hpp"
#include "stint/rate_limit_result.hpp"
#include "stint/rule_table.hpp"
#include "stint/signature.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// Counts all calls together.
struct CountTogether {
    NoKey operator()() const noexcept { return {}; }
};

namespace detail {

/// Calls `function` with the arguments if it takes them, else with none.
template <typename Function, typename... Args>
decltype(auto) call_with_or_without(const Function& function, Args&... args) {
    if constexpr (std::invocable<const Function&, Args&...>) {
        return std::invoke(function, args...);
    } else {
        static_assert(std::invocable<const Function&>,
                      "what says whom a call counts for takes the call's arguments, or none");
        return std::invoke(function);
    }
}
template <typename Function, typename... Args>
inline constexpr bool kAsksNoexcept =
    std::is_nothrow_invocable_v<const Function&, Args&...> ||
    (!std::is_invocable_v<const Function&, Args&...> && std::is_nothrow_invocable_v<const Function&>);

template <typename T>
struct KeyOfTold {
    static_assert(Key<T>, "a key is text, a whole number or an enumeration, or a std::tuple of these");
    using type = T;
};
template <typename T>
struct KeyOfTold<KeyAndCost<T>> {
    using type = T;
};

/// The key by which calls of F are counted, from the types of the parameters of F or of KeyOf.
template <typename F, typename KeyOf>
[[nodiscard]] constexpr std::size_t parts_of_key() {
    if constexpr (std::invocable<const KeyOf&>) {
        return kKeyParts<typename KeyOfTold<std::remove_cvref_t<std::invoke_result_t<const KeyOf&>>>::type>;
    } else if constexpr (HasSignature<KeyOf>) {
        return kKeyParts<typename KeyOfTold<std::remove_cvref_t<typename Signature<KeyOf>::Result>>::type>;
    } else {
        static_assert(HasSignature<F>,
                      "of what is called or of what says whom it counts for, one has parameters of known types");
        return kKeyParts<
            typename KeyOfTold<std::remove_cvref_t<typename Signature<F>::template ResultOf<const KeyOf&>>>::type>;
    }
}

/// One declared rule, and who tells the key.
template <typename KeyOf, std::size_t kParts>
class AskRule {
public:
    AskRule(Limiter& limiter, RuleHandle rule, KeyOf key_of)
        : limiter_(&limiter), rule_(rule), key_of_(std::move(key_of)) {}

    template <typename... Args>
    static constexpr bool kNoexcept = kAsksNoexcept<KeyOf, Args...>;

    [[nodiscard]] Limiter& limiter() const noexcept { return *limiter_; }

    /// Calls `ask` with what a Limiter is asked about this call: rule, values of the key, options.
    template <typename Ask, typename... Args>
    auto operator()(const Ask& ask, Args&... args) const {
        decltype(auto) told = call_with_or_without(key_of_, args...);
        if constexpr (requires {
                          told.key;
                          told.cost;
                      }) {
            return with_key(ask, told.key, {.cost = told.cost});
        } else {
            return with_key(ask, told, {});
        }
    }

private:
    template <typename Ask, typename K>
    auto with_key(const Ask& ask, const K& key, CheckOptions options) const {
        static_assert(kKeyParts<K> == kParts, "for these arguments the key has other parts than the rule");
        const KeyTexts<kParts> texts{key};
        return ask(rule_, texts.values(), options);
    }

    Limiter* limiter_;
    RuleHandle rule_;
    KeyOf key_of_;
};

/// All rules that apply to what is known of a call.
template <typename AttributesOf>
class AskAttributes {
public:
    AskAttributes(Limiter& limiter, AttributesOf attributes_of)
        : limiter_(&limiter), attributes_of_(std::move(attributes_of)) {}

    template <typename... Args>
    static constexpr bool kNoexcept = kAsksNoexcept<AttributesOf, Args...>;

    [[nodiscard]] Limiter& limiter() const noexcept { return *limiter_; }

    template <typename Ask, typename... Args>
    auto operator()(const Ask& ask, Args&... args) const {
        decltype(auto) told = call_with_or_without(attributes_of_, args...);
        static_assert(std::constructible_from<std::span<const Attribute>, const std::remove_cvref_t<decltype(told)>&>,
                      "attributes are a std::array, std::vector or std::span of stint::Attribute");
        return ask(std::span<const Attribute>{told}, CheckOptions{});
    }

private:
    Limiter* limiter_;
    AttributesOf attributes_of_;
};

/// How to begin what a function returns that only begins later. stint/asio.hpp has it for awaitables.
template <typename Returned>
struct Deferred {
    static constexpr bool kKnown = false;
};
/// An awaitable, before stint/asio.hpp is included.
template <typename T>
concept UnknownAwaitable = !Deferred<T>::kKnown && requires { typename T::executor_type; } &&
                           (
                               requires { typename T::value_type; } || requires(T t) { t.await_ready(); });

}  // namespace detail

enum class OnDenial : std::uint8_t {
    throws,  ///< RateLimitExceeded
    result,  ///< a RateLimitResult is returned in any case
};

/// A function and the limit that applies to it. Threads: as many as the function stands; copies share the counts.
template <typename Asking, typename F, OnDenial kOnDenial>
class RateLimited {
public:
    RateLimited(Asking asking, F function) : asking_(std::move(asking)), function_(std::move(function)) {}

    /// Asks, and calls the function if it may go on; what concurrency limits lend is given back when it has returned.
    /// Errors: what the function throws, and RateLimitExceeded if it is so chosen.
    template <typename... Args>
        requires std::invocable<F&, Args...>
    decltype(auto) operator()(Args&&... args) noexcept(kNoexcept<F&, Args...>) {
        return call(function_, std::forward<Args>(args)...);
    }
    template <typename... Args>
        requires std::invocable<const F&, Args...>
    decltype(auto) operator()(Args&&... args) const noexcept(kNoexcept<const F&, Args...>) {
        return call(function_, std::forward<Args>(args)...);
    }

private:
    template <typename Function, typename... Args>
    static constexpr bool kNoexcept = kOnDenial == OnDenial::result && std::is_nothrow_invocable_v<Function, Args...> &&
                                      Asking::template kNoexcept<std::remove_reference_t<Args>...>;

    template <typename Function, typename... Args>
    decltype(auto) call(Function& function, Args&&... args) const {
        using R = std::invoke_result_t<Function&, Args...>;
        static_assert(!detail::UnknownAwaitable<R>,
                      "include stint/asio.hpp to wrap functions that return an awaitable");
        if constexpr (detail::Deferred<R>::kKnown) {
            return detail::Deferred<R>::template begin<kOnDenial>(
                asking_, [&] { return std::invoke(function, std::forward<Args>(args)...); }, args...);
        } else if constexpr (kOnDenial == OnDenial::throws) {
            Decision decision = check(args...);
            if (!decision.allowed) throw RateLimitExceeded{std::move(decision)};
            const detail::LeaseEnd end{asking_.limiter(), decision};
            return static_cast<R>(std::invoke(function, std::forward<Args>(args)...));
        } else {
            return call_for_result<R>(function, std::forward<Args>(args)...);
        }
    }

    /// The result is made where it is returned, since a decision is large: GCC 12 does so only with a function's
    /// outermost variable.
    template <typename R, typename Function, typename... Args>
    RateLimitResult<R> call_for_result(Function& function, Args&&... args) const {
        RateLimitResult<R> result{std::in_place, [&] { return check(args...); }};
        if (result.decision().allowed) {
            const detail::LeaseEnd end{asking_.limiter(), result.decision()};
            if constexpr (std::is_void_v<R>) {
                std::invoke(function, std::forward<Args>(args)...);
            } else {
                result.set(std::invoke(function, std::forward<Args>(args)...));
            }
        }
        return result;
    }

    template <typename... Args>
    Decision check(Args&... args) const {
        Limiter& limiter = asking_.limiter();
        return asking_([&limiter](const auto&... asked) { return limiter.check(asked...); }, args...);
    }

    Asking asking_;
    F function_;
};

namespace detail {

template <OnDenial kOnDenial, typename F, typename KeyOf>
auto limit_by_rule(Limiter& limiter, const Rule& rule, F function, KeyOf key_of) {
    using Asking = AskRule<KeyOf, parts_of_key<F, KeyOf>()>;
    return RateLimited<Asking, F, kOnDenial>{Asking{limiter, limiter.declare(rule), std::move(key_of)},
                                             std::move(function)};
}
template <OnDenial kOnDenial, typename F, typename AttributesOf>
auto limit_by_attributes(Limiter& limiter, F function, AttributesOf attributes_of) {
    using Asking = AskAttributes<AttributesOf>;
    return RateLimited<Asking, F, kOnDenial>{Asking{limiter, std::move(attributes_of)}, std::move(function)};
}

/// The rule of an action whose key has the parts that KeyOf tells.
template <FixedString kAction, typename F, typename KeyOf>
Rule rule_for(const Limit& limit) {
    static_assert(is_rule_name(kAction.view()), "an action is 1 to 64 of A-Z a-z 0-9 _ . -");
    static_assert(parts_of_key<F, KeyOf>() <= kKeyAttributesMax, "a key has 8 parts at most");
    return action_rule(kAction.view(), limit, parts_of_key<F, KeyOf>());
}
template <typename DeclaredRule, typename F, typename KeyOf>
Rule rule_for() {
    return DeclaredRule::make(std::integral_constant<std::size_t, parts_of_key<F, KeyOf>()>{});
}

}  // namespace detail

/// At most kLimit calls in any kSeconds seconds: a strict sliding window.
/// Errors: throws ConfigError as Limiter::declare(). The limiter must outlive what is returned.
template <FixedString kAction, std::uint64_t kLimit, std::uint64_t kSeconds, typename F, typename KeyOf = CountTogether>
[[nodiscard]] auto rate_limited(Limiter& limiter, F function, KeyOf key_of = {}) {
    const Rule rule = detail::rule_for<detail::WindowRule<kAction, kLimit, kSeconds>, F, KeyOf>();
    return detail::limit_by_rule<OnDenial::throws>(limiter, rule, std::move(function), std::move(key_of));
}
/// A limit of any kind: stint::per_minute(3), stint::per_second(10).token_bucket(50), …
template <FixedString kAction, typename F, typename KeyOf = CountTogether>
[[nodiscard]] auto rate_limited(Limiter& limiter, const ValidQuota& quota, F function, KeyOf key_of = {}) {
    const Rule rule = detail::rule_for<kAction, F, KeyOf>(quota->to_limit());
    return detail::limit_by_rule<OnDenial::throws>(limiter, rule, std::move(function), std::move(key_of));
}
/// A limit whose numbers are known when the program runs.
template <FixedString kAction, typename F, typename KeyOf = CountTogether>
[[nodiscard]] auto rate_limited(Limiter& limiter, const Limit& limit, F function, KeyOf key_of = {}) {
    const Rule rule = detail::rule_for<kAction, F, KeyOf>(limit);
    return detail::limit_by_rule<OnDenial::throws>(limiter, rule, std::move(function), std::move(key_of));
}
/// A rule of a RuleTable: rate_limited<kRules, "submit">(…).
template <const auto& kTable, FixedString kName, typename F, typename KeyOf = CountTogether>
[[nodiscard]] auto rate_limited(Limiter& limiter, F function, KeyOf key_of = {}) {
    const Rule rule = detail::rule_for<detail::TableRule<kTable, kName>, F, KeyOf>();
    return detail::limit_by_rule<OnDenial::throws>(limiter, rule, std::move(function), std::move(key_of));
}
/// Whatever rules of the rule file apply: `attributes_of` tells what is known of a call, as
/// std::array{stint::Attribute{"action", "submit"}, stint::Attribute{"team", team.id}}. Where none applies, none
/// limits.
template <typename F, typename AttributesOf>
[[nodiscard]] auto rate_limited(Limiter& limiter, F function, AttributesOf attributes_of) {
    return detail::limit_by_attributes<OnDenial::throws>(limiter, std::move(function), std::move(attributes_of));
}

/// The same five, which return a RateLimitResult.
template <FixedString kAction, std::uint64_t kLimit, std::uint64_t kSeconds, typename F, typename KeyOf = CountTogether>
[[nodiscard]] auto try_rate_limited(Limiter& limiter, F function, KeyOf key_of = {}) {
    const Rule rule = detail::rule_for<detail::WindowRule<kAction, kLimit, kSeconds>, F, KeyOf>();
    return detail::limit_by_rule<OnDenial::result>(limiter, rule, std::move(function), std::move(key_of));
}
template <FixedString kAction, typename F, typename KeyOf = CountTogether>
[[nodiscard]] auto try_rate_limited(Limiter& limiter, const ValidQuota& quota, F function, KeyOf key_of = {}) {
    const Rule rule = detail::rule_for<kAction, F, KeyOf>(quota->to_limit());
    return detail::limit_by_rule<OnDenial::result>(limiter, rule, std::move(function), std::move(key_of));
}
template <FixedString kAction, typename F, typename KeyOf = CountTogether>
[[nodiscard]] auto try_rate_limited(Limiter& limiter, const Limit& limit, F function, KeyOf key_of = {}) {
    const Rule rule = detail::rule_for<kAction, F, KeyOf>(limit);
    return detail::limit_by_rule<OnDenial::result>(limiter, rule, std::move(function), std::move(key_of));
}
template <const auto& kTable, FixedString kName, typename F, typename KeyOf = CountTogether>
[[nodiscard]] auto try_rate_limited(Limiter& limiter, F function, KeyOf key_of = {}) {
    const Rule rule = detail::rule_for<detail::TableRule<kTable, kName>, F, KeyOf>();
    return detail::limit_by_rule<OnDenial::result>(limiter, rule, std::move(function), std::move(key_of));
}
template <typename F, typename AttributesOf>
[[nodiscard]] auto try_rate_limited(Limiter& limiter, F function, AttributesOf attributes_of) {
    return detail::limit_by_attributes<OnDenial::result>(limiter, std::move(function), std::move(attributes_of));
}

}  // namespace stint::inline v0
#pragma GCC visibility pop
