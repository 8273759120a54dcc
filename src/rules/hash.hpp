// The hash of the rules' own tables and of counter ids: XXH3 with fixed seeds,
// because ids must be alike in every process, and because the tables hold the
// configuration's keys, which no client chooses. Threads: pure functions.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace stint::rules {

inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) noexcept {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace stint::rules
