// The name of a counter wherever states are kept. Threads: a value.
#pragma once

#include <cstdint>

namespace stint {

/// A 128-bit name for one counter: (rule, key, kind of limit).
struct Digest {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(const Digest&, const Digest&) = default;
};

}  // namespace stint
