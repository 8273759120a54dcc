// The classes that protoc-gen-stint makes: each derives from a service that
// grpc_cpp_plugin makes, asks before each method that has a limit, and passes
// the call on to the service itself. Public interfaces of gRPC only.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>

#include "base/result.hpp"

namespace stint::inline v0::protoc {

/// Returns: the text of `x.stint.h` for `x.proto`; classes for each service that has a limit.
/// Errors: as read_option(); or that methods of one action disagree.
[[nodiscard]] Result<std::string> decorate(const google::protobuf::FileDescriptor& file);

/// Returns: `x.stint.h` for `x.proto`.
[[nodiscard]] std::string header_name(const google::protobuf::FileDescriptor& file);

}  // namespace stint::inline v0::protoc
