#include "protoc/decorator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/compiler/cpp/names.h>

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "protoc/method_option.hpp"

namespace stint::inline v0::protoc {
namespace {

using google::protobuf::FileDescriptor;
using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;

enum class Api : std::uint8_t { sync, callback };

struct Method {
    const MethodDescriptor* descriptor = nullptr;
    std::optional<MethodOption> option;
};

/// What a method of this kind is in C++.
struct Signature {
    std::string returns;
    std::string parameters;
    std::string arguments;
};

Signature signature_of(const MethodDescriptor& method, Api api) {
    using google::protobuf::compiler::cpp::QualifiedClassName;
    const std::string in = QualifiedClassName(method.input_type());
    const std::string out = QualifiedClassName(method.output_type());
    const bool reads = method.client_streaming();
    const bool writes = method.server_streaming();
    const std::string request = fmt::format("const {}* request", in);
    const std::string reply = fmt::format("{}* reply", out);
    if (api == Api::callback) {
        const std::string context = "::grpc::CallbackServerContext* context";
        if (reads && writes) {
            return {fmt::format("::grpc::ServerBidiReactor<{}, {}>*", in, out), context, "context"};
        }
        if (reads) {
            return {fmt::format("::grpc::ServerReadReactor<{}>*", in), context + ", " + reply, "context, reply"};
        }
        if (writes) {
            return {fmt::format("::grpc::ServerWriteReactor<{}>*", out), context + ", " + request, "context, request"};
        }
        return {"::grpc::ServerUnaryReactor*", fmt::format("{}, {}, {}", context, request, reply),
                "context, request, reply"};
    }
    const std::string context = "::grpc::ServerContext* context";
    const std::string status = "::grpc::Status";
    if (reads && writes) {
        return {status, fmt::format("{}, ::grpc::ServerReaderWriter<{}, {}>* stream", context, out, in),
                "context, stream"};
    }
    if (reads) {
        return {status, fmt::format("{}, ::grpc::ServerReader<{}>* reader, {}", context, in, reply),
                "context, reader, reply"};
    }
    if (writes) {
        return {status, fmt::format("{}, {}, ::grpc::ServerWriter<{}>* writer", context, request, out),
                "context, request, writer"};
    }
    return {status, fmt::format("{}, {}, {}", context, request, reply), "context, request, reply"};
}

/// How a denied call ends: with a status, or with a reactor that has ended.
std::string denial(const MethodDescriptor& method, const Signature& signature, Api api, const std::string& limit) {
    const std::string status = fmt::format("{}.refuse(*context, guard)", limit);
    if (api == Api::sync) return fmt::format("        if (!guard) return {};\n", status);
    if (method.client_streaming() || method.server_streaming()) {
        const std::string reactor = signature.returns.substr(0, signature.returns.size() - 1);
        return fmt::format("        if (!guard) return new ::stint::rpc::Finished<{}>{{{}}};\n", reactor, status);
    }
    return fmt::format(
        "        if (!guard) {{\n            ::grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();\n"
        "            reactor->Finish({});\n            return reactor;\n        }}\n",
        status);
}

std::string limit_name(const MethodDescriptor& method) {
    return fmt::format("limit_of_{}_", method.index());
}

std::string method_text(const Method& method, Api api) {
    const MethodDescriptor& descriptor = *method.descriptor;
    const Signature signature = signature_of(descriptor, api);
    std::string text =
        fmt::format("\n    {} {}({}) override {{\n", signature.returns, descriptor.name(), signature.parameters);
    if (method.option) {
        const std::string limit = limit_name(descriptor);
        text += fmt::format("        const ::stint::Guard guard = {}.enter(std::tuple{{{}}});\n", limit,
                            fmt::join(method.option->parts, ", "));
        text += denial(descriptor, signature, api, limit);
    }
    return text + fmt::format("        return service_.{}({});\n    }}\n", descriptor.name(), signature.arguments);
}

std::string quoted(const std::vector<std::string>& words) {
    std::vector<std::string> result;
    for (const std::string& word : words) result.push_back(fmt::format("\"{}\"", word));
    return fmt::format("{}", fmt::join(result, ", "));
}

std::string class_text(const ServiceDescriptor& service, const std::vector<Method>& methods, Api api) {
    const char* const api_name = api == Api::sync ? "sync" : "callback";
    const std::string base = fmt::format("{}::{}", service.name(), api == Api::sync ? "Service" : "CallbackService");
    const std::string name = fmt::format("RateLimited{}{}", service.name(), api == Api::sync ? "" : "Callback");
    std::string initialisers;
    std::string members;
    std::string bodies;
    for (const Method& method : methods) {
        bodies += method_text(method, api);
        if (!method.option) continue;
        const Rule& rule = method.option->rule;
        initialisers += fmt::format(
            ",\n          {}{{limiter, ::stint::rpc::method_rule(\"{}\", {{{}}}, {}, {}U), ::stint::rpc::Api::{},\n"
            "                      options}}",
            limit_name(*method.descriptor), rule.name, quoted(rule.key), method.option->limit, rule.cost, api_name);
        members += fmt::format("    ::stint::rpc::MethodLimit {};  // {}\n", limit_name(*method.descriptor),
                               method.descriptor->name());
    }
    return fmt::format(R"(
/// {0} under the limits of {1}. Threads: as the service.
class {2} final : public {0} {{
public:
    /// Requires: limiter and service outlive this. Errors: throws stint::ConfigError, if a rule of the rule file does
    /// not fit a limit here.
    {2}(::stint::Limiter& limiter, {0}& service, ::stint::rpc::Options options = {{}})
        : service_(service){3} {{}}
{4}
private:
    {0}& service_;
{5}}};
)",
                       base, service.file()->name(), name, initialisers, bodies, members);
}

/// Methods that name one action mean one limit.
class Actions {
public:
    /// Returns: what is wrong, or nothing.
    std::string add(const Method& method) {
        const auto [first, is_new] = seen_.emplace(method.option->rule.name, &method);
        if (is_new || first->second->option->rule == method.option->rule) return "";
        const MethodDescriptor& other = *first->second->descriptor;
        return at(*method.descriptor, fmt::format("action: '{}' has another limit or key in {}.{}",
                                                  method.option->rule.name, other.service()->name(), other.name()));
    }

private:
    std::map<std::string, const Method*> seen_;
};

}  // namespace

std::string header_name(const FileDescriptor& file) {
    return google::protobuf::compiler::cpp::StripProto(file.name()) + ".stint.h";
}

Result<std::string> decorate(const FileDescriptor& file) {
    std::vector<std::vector<Method>> services;
    for (int i = 0; i < file.service_count(); ++i) {
        std::vector<Method>& methods = services.emplace_back();
        for (int j = 0; j < file.service(i)->method_count(); ++j) {
            auto option = read_option(*file.service(i)->method(j));
            if (!option) return failure(option.error());
            methods.push_back({file.service(i)->method(j), std::move(*option)});
        }
    }
    Actions actions;
    std::string classes;
    for (const std::vector<Method>& methods : services) {
        bool limited = false;
        for (const Method& method : methods) {
            if (!method.option) continue;
            limited = true;
            if (std::string wrong = actions.add(method); !wrong.empty()) return failure(std::move(wrong));
        }
        if (!limited) continue;
        const ServiceDescriptor& service = *methods[0].descriptor->service();
        classes += class_text(service, methods, Api::sync) + class_text(service, methods, Api::callback);
    }
    std::string space = file.package();
    for (std::size_t dot = 0; (dot = space.find('.', dot)) != space.npos;) space.replace(dot, 1, "::");
    const std::string open = space.empty() ? "" : fmt::format("\nnamespace {} {{\n", space);
    const std::string close = space.empty() ? "" : fmt::format("\n}}  // namespace {}\n", space);
    return fmt::format(R"(// Made from {} by protoc-gen-stint. Do not change.
#pragma once

#include <chrono>
#include <string_view>
#include <tuple>

#include "{}.grpc.pb.h"
#include "{}"
{}{}{})",
                       file.name(), google::protobuf::compiler::cpp::StripProto(file.name()), "stint/grpc.hpp", open,
                       classes, close);
}

}  // namespace stint::inline v0::protoc
