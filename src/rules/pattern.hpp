// One pattern of a condition, taken apart: an exact value, a glob, or for the
// attribute `ip` a network. A network looks at the whole address, also where
// the value that requests are counted by is cut to a prefix.
// Threads: immutable.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/glob.hpp"
#include "base/ip.hpp"
#include "base/result.hpp"

namespace stint::inline v0::rules {

/// The attribute whose values are addresses.
inline constexpr std::string_view kIpAttribute = "ip";

/// A value as patterns look at it.
struct Subject {
    std::string_view value;
    const IpAddress* address = nullptr;  ///< of `ip`, if the value is an address
};

class Pattern {
public:
    /// Reads a pattern of this attribute. Errors: for `ip`, text that was
    /// meant to be an address or network and is none.
    [[nodiscard]] static Result<Pattern> compile(std::string_view attribute, std::string_view text);

    [[nodiscard]] bool fits(const Subject& subject) const noexcept;

    [[nodiscard]] const std::string* exact() const noexcept { return std::get_if<std::string>(&form_); }
    [[nodiscard]] const Glob* glob() const noexcept { return std::get_if<Glob>(&form_); }
    [[nodiscard]] const IpNetwork* network() const noexcept { return std::get_if<IpNetwork>(&form_); }

private:
    using Form = std::variant<std::string, Glob, IpNetwork>;

    explicit Pattern(Form form) : form_{std::move(form)} {}

    Form form_;
};

}  // namespace stint::inline v0::rules
