// The header fields of a decision as they go over the wire, for servers: the
// same fields as http_headers(), without a string for each name and value.
#pragma once

#include <string>

#include "stint/http_headers.hpp"

namespace stint::inline v0::engine {

/// Appends the fields of http_headers(), each as `Name: value` with its CRLF.
void append_http_fields(std::string& out, const Decision& decision, HttpHeaderOptions options);

}  // namespace stint::inline v0::engine
