// Limits on gRPC methods: what the classes that protoc-gen-stint makes are made
// of (docs/grpc.md). Needs gRPC.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "stint/guard.hpp"
#include "stint/limiter.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0::rpc {

/// What a client hears that a silent ban denies.
enum class Silent : std::uint8_t {
    refuse,   ///< what any other hears
    pretend,  ///< OK, with an empty reply, or no message of a stream
};

struct Options {
    Silent silent = Silent::refuse;
};

/// How the service answers, and with it whether a lease can be held until it has.
enum class Api : std::uint8_t { sync, callback };

/// Returns: the text that the client sent under this name, the first of several; empty if none.
[[nodiscard]] std::string_view metadata(const ::grpc::ServerContextBase& context, std::string_view name);

/// Returns: the client's address without its port; a socket's path, or whatever else gRPC says, as it is.
[[nodiscard]] std::string peer_address(const ::grpc::ServerContextBase& context);

/// Returns: RESOURCE_EXHAUSTED with google.rpc.RetryInfo in its details, if a wait helps; and puts `retry-after-ms`,
/// rounded up and at least 1, into the trailing metadata. OK for a silent denial, if it is to be pretended.
/// Requires: the decision is a denial.
[[nodiscard]] ::grpc::Status refuse(::grpc::ServerContextBase& context, const Decision& denial, Options options);

/// Returns: a rule that a method's option declares.
[[nodiscard]] Rule method_rule(std::string_view action, std::initializer_list<std::string_view> key, const Limit& limit,
                               std::uint64_t cost);

/// The limit of one method. Threads: any.
class MethodLimit {
public:
    /// Errors: throws ConfigError as Limiter::declare(), and for a concurrency limit in the rule file where a callback
    /// service answers: nobody could say when the lease ends.
    MethodLimit(Limiter& limiter, const Rule& rule, Api api, Options options);

    /// Returns: what holds the decision, and what was lent, until the call ends. Waits for Redis up to its deadline.
    template <Key K>
    [[nodiscard]] Guard enter(const K& key) const {
        return Guard{*limiter_, check_key(*limiter_, rule_, key)};
    }
    [[nodiscard]] ::grpc::Status refuse(::grpc::ServerContextBase& context, const Guard& guard) const {
        return rpc::refuse(context, guard.decision(), options_);
    }

private:
    Limiter* limiter_;
    RuleHandle rule_;
    Options options_;
};

/// Ends a stream of a callback service before it begins. Deletes itself.
template <typename Reactor>
class Finished final : public Reactor {
public:
    explicit Finished(const ::grpc::Status& status) { this->Finish(status); }
    void OnDone() override { delete this; }
};

}  // namespace stint::inline v0::rpc
#pragma GCC visibility pop
