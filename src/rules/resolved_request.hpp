// A request's attributes as compiled rules look at them: one value for each
// attribute that any rule names, found by number. Lives on the stack for one
// check and refers to the caller's memory. Threads: one at a time.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/ip.hpp"

namespace stint::inline v0::rules {

/// The number of an attribute name that some rule uses.
using AttributeId = std::uint16_t;

class ResolvedRequest {
public:
    ResolvedRequest() noexcept = default;
    ResolvedRequest(const ResolvedRequest&) = delete;
    ResolvedRequest& operator=(const ResolvedRequest&) = delete;
    ~ResolvedRequest() = default;

    /// Returns: whether the request has this attribute; an empty value is a value.
    [[nodiscard]] bool has(AttributeId id) const noexcept { return values_[id].data() != nullptr; }
    /// Returns: its value; of `ip` the normalised text. Requires: has(id).
    [[nodiscard]] std::string_view value(AttributeId id) const noexcept { return values_[id]; }
    /// Returns: the whole address in the attribute `ip`, if it holds one.
    [[nodiscard]] const std::optional<IpAddress>& address() const noexcept { return address_; }

private:
    friend class CompiledRules;

    // Null data stands for "missing", which no value has.
    boost::container::small_vector<std::string_view, 24> values_;
    std::optional<IpAddress> address_;
    IpText ip_text_;
};

}  // namespace stint::inline v0::rules
