#include "rules/pattern.hpp"

#include <utility>

namespace stint::inline v0::rules {
namespace {

// Host names are legal values of `ip`; what only digits and dots or a colon
// make up was meant to be an address.
bool looks_like_address(std::string_view text) noexcept {
    return text.find_first_of("/:") != text.npos || text.find_first_not_of("0123456789.") == text.npos;
}

}  // namespace

Result<Pattern> Pattern::compile(std::string_view attribute, std::string_view text) {
    if (has_wildcard(text)) return Pattern{Glob{text}};
    if (attribute == kIpAttribute && !text.empty() && looks_like_address(text)) {
        auto network = parse_cidr(text);
        if (!network) return failure("'" + std::string{text} + "': " + network.error());
        return Pattern{*network};
    }
    return Pattern{std::string{text}};
}

bool Pattern::fits(const Subject& subject) const noexcept {
    if (const auto* text = exact()) return subject.value == *text;
    if (const auto* pattern = glob()) return pattern->fits(subject.value);
    return subject.address != nullptr && std::get_if<IpNetwork>(&form_)->contains(*subject.address);
}

}  // namespace stint::inline v0::rules
