// Hashing by XXH3, inlined because keys are short. Not a public header: xxHash
// is included by .cpp files only.
#pragma once

#include <cstdint>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "stint/digest.hpp"

namespace stint {

[[nodiscard]] inline std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) noexcept {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

[[nodiscard]] inline Digest hash128(std::string_view bytes, std::uint64_t seed) noexcept {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
    return {hash.high64, hash.low64};
}

}  // namespace stint
