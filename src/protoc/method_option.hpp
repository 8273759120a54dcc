// What the option (stint.v1.rate_limit) of a method says, looked at while protoc
// runs, so that what cannot be is an error of the build. Threads: none.
#pragma once

#include <google/protobuf/descriptor.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::protoc {

struct MethodOption {
    Rule rule;
    /// C++ that gives each part of the key, from `request` and `context`.
    std::vector<std::string> parts;
    std::string limit;  ///< C++ that makes the rule's limit
};

/// Returns: the method's limit, none if it has no option.
/// Errors: a text that begins with file, line, column and method.
[[nodiscard]] Result<std::optional<MethodOption>> read_option(const google::protobuf::MethodDescriptor& method);

/// Returns: `file:line:column: Service.Method: reason`.
[[nodiscard]] std::string at(const google::protobuf::MethodDescriptor& method, const std::string& reason);

}  // namespace stint::inline v0::protoc
