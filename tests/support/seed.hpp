// The seed of a random test: another one each run, or what STINT_SEED says.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace stint::inline v0 {

[[nodiscard]] inline std::uint64_t test_seed() {
    const char* text = std::getenv("STINT_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 10) : std::random_device{}();
}

}  // namespace stint::inline v0
