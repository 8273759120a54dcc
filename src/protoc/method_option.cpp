#include "protoc/method_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/compiler/cpp/names.h>

#include <algorithm>
#include <string_view>

#include "stint/v1/rate_limit.pb.h"

namespace stint::inline v0::protoc {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MethodDescriptor;

constexpr std::string_view kMetadata = "metadata:";
constexpr std::string_view kPeer = "peer";

struct Part {
    std::string name;  // of the attribute
    std::string code;
};

/// Returns: C++ text of these characters.
std::string literal(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

Result<Part> read_metadata(std::string_view name) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    if (name.empty() || name.find_first_not_of(kLetters) != name.npos) {
        return failure(fmt::format("key: '{}{}' is no name of metadata: a-z 0-9 - _ .", kMetadata, name));
    }
    return Part{std::string{name}, fmt::format("::stint::rpc::metadata(*context, {})", literal(name))};
}

Result<std::string> read_field(const FieldDescriptor& field, std::string_view path) {
    const std::string name = google::protobuf::compiler::cpp::FieldName(&field);
    switch (field.cpp_type()) {
        case FieldDescriptor::CPPTYPE_STRING:
            return fmt::format("std::string_view{{request->{}{}()}}", path, name);
        case FieldDescriptor::CPPTYPE_FLOAT:
        case FieldDescriptor::CPPTYPE_DOUBLE:
            return failure("is no key: floating point numbers that look equal may differ");
        case FieldDescriptor::CPPTYPE_MESSAGE:
            return failure("is a message; name one of its fields");
        default:
            return fmt::format("request->{}{}()", path, name);
    }
}

/// Follows a path such as `user.id` from the request.
Result<Part> read_path(const MethodDescriptor& method, const std::string& path) {
    if (method.client_streaming()) {
        return failure(
            fmt::format("key: '{}': of a stream of requests no field is known when the call begins; "
                        "use metadata: or peer",
                        path));
    }
    const Descriptor* message = method.input_type();
    std::string way;
    for (std::size_t begin = 0;;) {
        const std::size_t end = std::min(path.find('.', begin), path.size());
        const FieldDescriptor* field = message->FindFieldByName(path.substr(begin, end - begin));
        if (field == nullptr) {
            return failure(fmt::format("key: '{}': {} has no field {}", path, message->full_name(),
                                       path.substr(begin, end - begin)));
        }
        if (field->is_repeated()) {
            return failure(fmt::format("key: '{}': {} is repeated, and a key is one value", path, field->name()));
        }
        if (end == path.size()) {
            const auto code = read_field(*field, way);
            if (!code) return failure(fmt::format("key: '{}' {}", path, code.error()));
            return Part{path, *code};
        }
        message = field->message_type();
        if (message == nullptr) {
            return failure(fmt::format("key: '{}': {} is no message", path, field->name()));
        }
        way += google::protobuf::compiler::cpp::FieldName(field) + "().";
        begin = end + 1;
    }
}

Result<Part> read_part(const MethodDescriptor& method, const std::string& text) {
    if (text == kPeer) return Part{"ip", "::stint::rpc::peer_address(*context)"};
    if (text.starts_with(kMetadata)) return read_metadata(std::string_view{text}.substr(kMetadata.size()));
    return read_path(method, text);
}

/// Returns: the limit and C++ that makes it. Errors: throws ConfigError.
std::pair<Limit, std::string> make_limit(const v1::RateLimit& option) {
    const char* const name = [&] {
        switch (option.algorithm()) {
            case v1::FIXED_WINDOW:
                return "fixed_window";
            case v1::SLIDING_LOG:
                return "sliding_log";
            case v1::TOKEN_BUCKET:
                return "token_bucket";
            default:
                return "sliding_window";
        }
    }();
    LimitSpec spec{.limit = option.limit()};
    for (const auto algorithm : {Algorithm::fixed_window, Algorithm::sliding_log, Algorithm::token_bucket}) {
        if (std::string_view{to_string(algorithm)} == name) spec.algorithm = algorithm;
    }
    // What would overflow is far above the longest period, and is told as that.
    const auto most = static_cast<std::uint64_t>(kPeriodMax.count()) / 1'000'000 + 1;
    spec.per = std::chrono::seconds{static_cast<std::int64_t>(std::min<std::uint64_t>(option.window_seconds(), most))};
    if (option.capacity() != 0) spec.capacity = option.capacity();
    const std::string capacity = option.capacity() == 0 ? "" : fmt::format(", {}U", option.capacity());
    return {Limit::make(spec), fmt::format("::stint::Limit::{}({}U, std::chrono::seconds{{{}}}{})", name,
                                           option.limit(), option.window_seconds(), capacity)};
}

std::string joined(const ConfigError& error) {
    std::vector<std::string> reasons;
    for (const Problem& problem : error.problems()) reasons.push_back(problem.reason);
    return fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace

std::string at(const MethodDescriptor& method, const std::string& reason) {
    google::protobuf::SourceLocation place;
    std::string where = method.file()->name();
    if (method.GetSourceLocation(&place)) where += fmt::format(":{}:{}", place.start_line + 1, place.start_column + 1);
    return fmt::format("{}: {}.{}: {}", where, method.service()->name(), method.name(), reason);
}

Result<std::optional<MethodOption>> read_option(const MethodDescriptor& method) {
    if (!method.options().HasExtension(v1::rate_limit)) return std::nullopt;
    const v1::RateLimit& option = method.options().GetExtension(v1::rate_limit);
    if (option.action().empty()) return failure(at(method, "action: missing"));
    if (!option.has_limit()) return failure(at(method, "limit: missing; 0 closes the method"));
    if (option.window_seconds() == 0) return failure(at(method, "window_seconds: missing, or 0"));

    MethodOption read;
    for (const std::string& text : option.key()) {
        const auto part = read_part(method, text);
        if (!part) return failure(at(method, part.error()));
        read.rule.key.push_back(part->name);
        read.parts.push_back(part->code);
    }
    read.rule.name = option.action();
    read.rule.cost = option.cost() == 0 ? 1 : option.cost();
    try {
        auto [limit, code] = make_limit(option);
        read.rule.limits = {limit};
        read.limit = std::move(code);
        (void)RuleSet{{read.rule}};
    } catch (const ConfigError& error) {
        return failure(at(method, joined(error)));
    }
    return read;
}

}  // namespace stint::inline v0::protoc
