#include "stint/store.hpp"

#include <array>

namespace stint::inline v0 {

const char* to_string(StoreError error) noexcept {
    constexpr std::array kNames{"none", "timeout", "unavailable", "refused", "overloaded"};
    return kNames[static_cast<std::size_t>(error)];
}

}  // namespace stint::inline v0
