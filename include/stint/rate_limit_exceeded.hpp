// The denial of a guarded call, for callers that hear of it by an exception.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "stint/decision.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// Thrown by what rate_limited() made, by Guard and by STINT_RATE_LIMIT when a call is denied; the call has not begun.
/// If decision().silent, the caller should not see the denial: answer as usual, and drop the work.
/// Threads: immutable; copies share one object.
class RateLimitExceeded : public std::exception {
public:
    explicit RateLimitExceeded(Decision decision);

    [[nodiscard]] const Decision& decision() const noexcept { return state_->decision; }
    /// Returns: which rule denied, and when to come again, in words.
    [[nodiscard]] const char* what() const noexcept override { return state_->text.c_str(); }

private:
    struct State {
        Decision decision;
        std::string text;
    };
    std::shared_ptr<const State> state_;
};

}  // namespace stint::inline v0
#pragma GCC visibility pop
