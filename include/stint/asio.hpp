// Checks as Boost.Asio operations, and limits on functions that return an
// awaitable:
//
//     stint::Decision d = co_await stint::async_check(limiter, attributes, {}, boost::asio::use_awaitable);
//
//     auto fetch = stint::rate_limited<"fetch", 3, 60>(limiter, &Client::fetch, …);   // awaitable<Page>
//     Client::fetch(Url) Page page = co_await fetch(client, url);      // throws stint::RateLimitExceeded
//
// Needs Boost.Asio 1.81. GCC 12 miscompiles some uses of co_await without a
// warning: give what is awaited a name first (docs/cpp.md).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stint/limiter.hpp"
#include "stint/rate_limited.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {
namespace detail {

/// A question with its own copy of all bytes, asked when the operation begins.
class OwnedCheck {
public:
    OwnedCheck(Limiter& limiter, std::span<const Attribute> attributes, CheckOptions options)
        : limiter_(&limiter), options_(options) {
        for (const Attribute& attribute : attributes) {
            parts_.emplace_back(attribute.name);
            parts_.emplace_back(attribute.value);
        }
    }
    OwnedCheck(Limiter& limiter, RuleHandle rule, std::span<const std::string_view> key, CheckOptions options)
        : limiter_(&limiter), options_(options), rule_(rule), parts_(key.begin(), key.end()) {}

    [[nodiscard]] Limiter& limiter() const noexcept { return *limiter_; }

    void ask(DecisionHandler done) const {
        if (rule_) {
            const std::vector<std::string_view> key(parts_.begin(), parts_.end());
            limiter_->check_async(*rule_, key, options_, std::move(done));
        } else {
            std::vector<Attribute> attributes;
            for (std::size_t i = 0; i < parts_.size(); i += 2) attributes.push_back({parts_[i], parts_[i + 1]});
            limiter_->check_async(attributes, options_, std::move(done));
        }
    }

private:
    Limiter* limiter_;
    CheckOptions options_;
    std::optional<RuleHandle> rule_;
    std::vector<std::string> parts_;  // values of the key, or names and values of attributes in turn
};

/// A handler that may only move, on its way through a std::function to its executor.
template <typename Handler>
class Completing {
    using Executor = boost::asio::associated_executor_t<Handler>;

public:
    explicit Completing(Handler handler)
        : work_(boost::asio::get_associated_executor(handler)), handler_(std::move(handler)) {}

    /// Has the handler called there with the decision, never before this returns.
    void operator()(Decision decision) {
        const Executor executor = work_.get_executor();
        boost::asio::post(executor, [handler = std::move(handler_), decision = std::move(decision)]() mutable {
            handler(std::move(decision));
        });
        work_.reset();
    }

private:
    boost::asio::executor_work_guard<Executor> work_;
    Handler handler_;
};

template <typename Token>
auto async_ask(OwnedCheck check, Token&& token) {
    return boost::asio::async_initiate<Token, void(Decision)>(
        [](auto handler, const OwnedCheck& asked) {
            auto completing = std::make_shared<Completing<decltype(handler)>>(std::move(handler));
            asked.ask([completing](Decision decision) { (*completing)(std::move(decision)); });
        },
        token, std::move(check));
}

}  // namespace detail

/// Limiter::check() as an operation that completes with void(Decision), on the executor that belongs to the handler and
/// never before this returns. Bytes are copied at once. A check cannot be cancelled; it ends within the deadline of the
/// store. Requires: the limiter outlives the operation.
template <typename Token>
auto async_check(Limiter& limiter, std::span<const Attribute> attributes, CheckOptions options, Token&& token) {
    return detail::async_ask(detail::OwnedCheck{limiter, attributes, options}, std::forward<Token>(token));
}
template <typename Token>
auto async_check(Limiter& limiter, RuleHandle rule, std::span<const std::string_view> key, CheckOptions options,
                 Token&& token) {
    return detail::async_ask(detail::OwnedCheck{limiter, rule, key, options}, std::forward<Token>(token));
}

namespace detail {

// Of Asio's coroutine frames GCC 12 says wrongly that what frees them does not fit what allocated them.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

/// Begins `operation` if the check allows it. Every awaited thing has a name: GCC 12 destroys some temporaries twice.
template <OnDenial kOnDenial, typename T, typename Executor,
          typename Returned = std::conditional_t<kOnDenial == OnDenial::throws, T, RateLimitResult<T>>>
boost::asio::awaitable<Returned, Executor> begin_if_allowed(OwnedCheck check,
                                                            boost::asio::awaitable<T, Executor> operation) {
    Limiter& limiter = check.limiter();
    constexpr boost::asio::use_awaitable_t<Executor> token;
    auto asked = async_ask(std::move(check), token);
    Decision decision = co_await std::move(asked);
    const LeaseEnd end{limiter, decision};
    if constexpr (kOnDenial == OnDenial::throws) {
        if (!decision.allowed) throw RateLimitExceeded{std::move(decision)};
        if constexpr (std::is_void_v<T>) {
            co_await std::move(operation);
        } else {
            T value = co_await std::move(operation);
            co_return static_cast<T&&>(value);
        }
    } else {
        RateLimitResult<T> result{std::in_place, [&] { return std::move(decision); }};
        if (!result.decision().allowed) co_return result;
        if constexpr (std::is_void_v<T>) {
            co_await std::move(operation);
        } else {
            T value = co_await std::move(operation);
            result.set(static_cast<T&&>(value));
        }
        co_return result;
    }
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// An awaitable's operation begins when it is awaited, so that it can be made before the check: its arguments are then
/// kept as its own function keeps them.
template <typename T, typename Executor>
struct Deferred<boost::asio::awaitable<T, Executor>> {
    static constexpr bool kKnown = true;

    template <OnDenial kOnDenial, typename Asking, typename Make, typename... Args>
    static auto begin(const Asking& asking, const Make& make, Args&... args) {
        Limiter& limiter = asking.limiter();
        OwnedCheck check = asking([&limiter](const auto&... asked) { return OwnedCheck{limiter, asked...}; }, args...);
        return begin_if_allowed<kOnDenial>(std::move(check), make());
    }
};

}  // namespace detail
}  // namespace stint::inline v0
#pragma GCC visibility pop
