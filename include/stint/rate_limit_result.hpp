// What a guarded call returned, or the decision that denied it: std::expected
// (C++23) with the decision in either case.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "stint/decision.hpp"
#include "stint/rate_limit_exceeded.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// `T` may be a reference or void. Threads: as T.
template <typename T>
class [[nodiscard]] RateLimitResult {
    using Stored = std::conditional_t<std::is_reference_v<T>, std::add_pointer_t<T>, T>;

public:
    using value_type = T;
    using error_type = Decision;

    /// No call; boost::asio::co_spawn makes one before it has a result.
    RateLimitResult() noexcept { decision_.allowed = false; }
    /// The decision that `decide` returns; no value yet.
    template <typename Decide>
    RateLimitResult(std::in_place_t, const Decide& decide) : decision_(decide()) {}
    /// What the allowed call has returned.
    void set(T&& value) noexcept(std::is_reference_v<T> || std::is_nothrow_move_constructible_v<Stored>) {
        value_.emplace(store(static_cast<T&&>(value)));
    }

    [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
    [[nodiscard]] explicit operator bool() const noexcept { return has_value(); }

    /// Errors: throws RateLimitExceeded if the call was denied.
    [[nodiscard]] decltype(auto) value() & { return get(checked(*this)); }
    [[nodiscard]] decltype(auto) value() const& { return get(checked(*this)); }
    [[nodiscard]] T value() && { return static_cast<T&&>(get(checked(*this))); }
    /// Requires: has_value().
    [[nodiscard]] decltype(auto) operator*() & noexcept { return get(*this); }
    [[nodiscard]] decltype(auto) operator*() const& noexcept { return get(*this); }
    [[nodiscard]] T operator*() && { return static_cast<T&&>(get(*this)); }
    [[nodiscard]] auto* operator->() noexcept { return std::addressof(get(*this)); }
    [[nodiscard]] const auto* operator->() const noexcept { return std::addressof(get(*this)); }
    template <typename U>
    [[nodiscard]] T value_or(U&& other) && {
        return has_value() ? static_cast<T&&>(get(*this)) : static_cast<T>(std::forward<U>(other));
    }

    /// Returns: the denial. Requires: the call was denied.
    [[nodiscard]] const Decision& error() const noexcept { return decision_; }
    /// Returns: the decision, also of an allowed call: for header fields.
    [[nodiscard]] const Decision& decision() const noexcept { return decision_; }

private:
    static Stored store(T&& value) {
        if constexpr (std::is_reference_v<T>) {
            return std::addressof(value);
        } else {
            return std::move(value);
        }
    }
    template <typename Self>
    static auto& get(Self& self) noexcept {
        if constexpr (std::is_reference_v<T>) {
            return **self.value_;
        } else {
            return *self.value_;
        }
    }
    template <typename Self>
    static Self& checked(Self& self) {
        if (!self.has_value()) throw RateLimitExceeded{self.decision_};
        return self;
    }

    Decision decision_;
    std::optional<Stored> value_;
};

template <>
class [[nodiscard]] RateLimitResult<void> {
public:
    using value_type = void;
    using error_type = Decision;

    /// No call.
    RateLimitResult() noexcept { decision_.allowed = false; }
    /// The decision that `decide` returns.
    template <typename Decide>
    RateLimitResult(std::in_place_t, const Decide& decide) : decision_(decide()) {}

    [[nodiscard]] bool has_value() const noexcept { return decision_.allowed; }
    [[nodiscard]] explicit operator bool() const noexcept { return has_value(); }
    /// Errors: throws RateLimitExceeded if the call was denied.
    void value() const {
        if (!has_value()) throw RateLimitExceeded{decision_};
    }
    /// Returns: the denial. Requires: the call was denied.
    [[nodiscard]] const Decision& error() const noexcept { return decision_; }
    [[nodiscard]] const Decision& decision() const noexcept { return decision_; }

private:
    Decision decision_;
};

}  // namespace stint::inline v0
#pragma GCC visibility pop
