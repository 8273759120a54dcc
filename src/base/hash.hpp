// Hashing by XXH3, inlined because keys are short. Fast and well spread, but not
// cryptographic: where callers choose what is hashed, the seed is random and
// never leaves the process. Threads: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "stint/digest.hpp"

namespace stint::inline v0 {

[[nodiscard]] inline std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) noexcept {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

[[nodiscard]] inline Digest hash128(std::string_view bytes, std::uint64_t seed) noexcept {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
    return {hash.high64, hash.low64};
}

}  // namespace stint::inline v0
