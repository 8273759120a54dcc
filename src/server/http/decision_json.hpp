// A decision as the JSON object that the HTTP API and `stint check --json` give.
#pragma once

#include <string>

#include "stint/decision.hpp"

namespace stint::inline v0::http {

/// Appends the object. Milliseconds are rounded up; `retry_after_ms` is null
/// where no wait helps; `rule`, `limit` and `remaining` are null where no rule
/// applies; `lease` stands there only if the decision holds one.
void append_json(std::string& out, const Decision& decision);

}  // namespace stint::inline v0::http
