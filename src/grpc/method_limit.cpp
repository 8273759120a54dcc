#include "stint/grpc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "stint/v1/error_details.pb.h"

namespace stint::inline v0::rpc {
namespace {

constexpr std::string_view kTypePrefix = "type.googleapis.com/google.rpc.";

/// Returns: a google.rpc.Status, serialised.
std::string details_of(const ::grpc::StatusCode code, const std::string& message, Duration wait) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(wait);
    v1::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(seconds.count());
    retry.mutable_retry_delay()->set_nanos(
        static_cast<std::int32_t>(std::chrono::nanoseconds{wait - Duration{seconds}}.count()));
    v1::ErrorStatus status;
    status.set_code(code);
    status.set_message(message);
    google::protobuf::Any& detail = *status.add_details();
    detail.set_type_url(fmt::format("{}RetryInfo", kTypePrefix));
    detail.set_value(retry.SerializeAsString());
    return status.SerializeAsString();
}

bool lends(const RuleSet& rules, std::string_view name) {
    return std::ranges::any_of(rules.rules(), [&](const Rule& rule) {
        return rule.name == name && std::ranges::any_of(rule.limits, [](const Limit& limit) {
                   return limit.algorithm() == Algorithm::concurrency;
               });
    });
}

int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// gRPC writes the brackets of an IPv6 address, and the `%` of its zone, as %5B and so on.
std::string unescape(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escaped =
            text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
        if (escaped) {
            result += static_cast<char>(16 * hex_digit(text[i + 1]) + hex_digit(text[i + 2]));
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

}  // namespace

std::string_view metadata(const ::grpc::ServerContextBase& context, std::string_view name) {
    const auto& all = context.client_metadata();
    const auto first = all.lower_bound(::grpc::string_ref{name.data(), name.size()});
    if (first == all.end() || first->first.compare({name.data(), name.size()}) != 0) return {};
    return {first->second.data(), first->second.size()};
}

std::string peer_address(const ::grpc::ServerContextBase& context) {
    std::string peer = unescape(context.peer());
    const std::size_t begin = peer.find(':');
    const std::size_t end = peer.rfind(':');
    if (!peer.starts_with("ipv") || end == begin) return peer;
    std::string_view address = std::string_view{peer}.substr(begin + 1, end - begin - 1);
    if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
    return std::string{address};
}

::grpc::Status refuse(::grpc::ServerContextBase& context, const Decision& denial, Options options) {
    if (denial.silent && options.silent == Silent::pretend) return ::grpc::Status::OK;
    const std::string message = RateLimitExceeded{denial}.what();
    constexpr auto kCode = ::grpc::StatusCode::RESOURCE_EXHAUSTED;
    if (denial.retry_after == kNever) return {kCode, message};
    const auto wait_ms = std::chrono::ceil<std::chrono::milliseconds>(denial.retry_after).count();
    context.AddTrailingMetadata("retry-after-ms", fmt::format("{}", std::max<std::int64_t>(wait_ms, 1)));
    return {kCode, message, details_of(kCode, message, denial.retry_after)};
}

Rule method_rule(std::string_view action, std::initializer_list<std::string_view> key, const Limit& limit,
                 std::uint64_t cost) {
    Rule rule;
    rule.name = action;
    rule.match = {{"action", {rule.name}}};
    rule.key.assign(key.begin(), key.end());
    rule.limits = {limit};
    rule.cost = cost;
    return rule;
}

MethodLimit::MethodLimit(Limiter& limiter, const Rule& rule, Api api, Options options)
    : limiter_(&limiter), rule_(limiter.declare(rule)), options_(options) {
    if (api == Api::callback && lends(limiter.rules(), rule.name)) {
        throw ConfigError{{Problem{"", 0, 0,
                                   fmt::format("rule {}: a concurrency limit needs a service that is no callback "
                                               "service, where the end of a call is known",
                                               rule.name)}}};
    }
}

}  // namespace stint::inline v0::rpc
