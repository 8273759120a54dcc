#include "cli/attribute_words.hpp"

#include <fmt/format.h>

#include <string_view>

namespace stint::inline v0::cli {

Result<std::vector<Attribute>> parse_attributes(const std::vector<std::string>& texts) {
    std::vector<Attribute> attributes;
    for (const std::string_view text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos || equals == 0) {
            return failure(fmt::format("\"{}\": an attribute is given as NAME=VALUE", text));
        }
        const std::string_view name = text.substr(0, equals);
        for (const Attribute& known : attributes) {
            if (known.name == name) return failure(fmt::format("the attribute \"{}\" is given twice", name));
        }
        attributes.push_back({name, text.substr(equals + 1)});
    }
    return attributes;
}

}  // namespace stint::inline v0::cli
