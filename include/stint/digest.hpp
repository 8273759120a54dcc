// The names of a counter where states are kept. Threads: values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// A 128-bit name for one counter: (rule, key, kind of limit).
struct Digest {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(const Digest&, const Digest&) = default;
};

/// What a store finds a counter by again, for refunds and leases.
struct CounterRef {
    Digest digest;                           ///< of the counter, or what tells it from others under `key`
    std::shared_ptr<const std::string> key;  ///< where the store keeps it; null in the embedded store
    bool plain = false;                      ///< a plain counter in Redis
};

}  // namespace stint::inline v0
#pragma GCC visibility pop
