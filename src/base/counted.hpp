// A number with its noun, for messages: "1 line", "2 lines". Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stint::inline v0 {

/// Returns: the noun alone. `ending`: of the plural.
[[nodiscard]] inline std::string noun_for(std::uint64_t count, std::string_view noun, std::string_view ending = "s") {
    std::string text{noun};
    if (count != 1) text += ending;
    return text;
}

[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun, std::string_view ending = "s") {
    return std::to_string(count) + ' ' + noun_for(count, noun, ending);
}

}  // namespace stint::inline v0
