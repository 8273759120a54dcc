// What people build instead: a map of GCRA states behind mutexes. Each rival
// keeps one number for each key (when its bucket is full, in us) and answers
// allowed or not; remaining and waits, which stint computes too, are left out
// to their advantage.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/numeric/int128.h>
#include <tbb/concurrent_hash_map.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace stint::inline v0::bench {

/// Consumes a token worth `token_us` from a bucket of `capacity_us`.
inline bool gcra(std::int64_t& full_us, std::int64_t now_us, std::int64_t token_us, std::int64_t capacity_us) noexcept {
    const std::int64_t next = std::max(full_us, now_us) + token_us;
    if (next - now_us > capacity_us) return false;
    full_us = next;
    return true;
}

struct Bucket {
    std::int64_t token_us;
    std::int64_t capacity_us;
};

/// absl::flat_hash_map of 128-bit fingerprints behind 64 mutexes.
class AbslFingerprints {
public:
    AbslFingerprints(Bucket bucket, std::size_t keys) : bucket_(bucket) {
        for (Shard& shard : shards_) shard.map.reserve(keys / kShards);
    }
    bool check(std::string_view key, std::int64_t now_us) {
        const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
        Shard& shard = shards_[hash.high64 % kShards];
        const std::lock_guard lock{shard.mutex};
        return gcra(shard.map[absl::MakeUint128(hash.high64, hash.low64)], now_us, bucket_.token_us,
                    bucket_.capacity_us);
    }

private:
    static constexpr std::size_t kShards = 64;
    struct Identity {
        std::size_t operator()(absl::uint128 value) const noexcept { return absl::Uint128Low64(value); }
    };
    struct alignas(64) Shard {
        std::mutex mutex;
        absl::flat_hash_map<absl::uint128, std::int64_t, Identity> map;
    };
    Bucket bucket_;
    std::array<Shard, kShards> shards_;
};

/// The same with the keys themselves.
class AbslStrings {
public:
    AbslStrings(Bucket bucket, std::size_t keys) : bucket_(bucket) {
        for (Shard& shard : shards_) shard.map.reserve(keys / kShards);
    }
    bool check(std::string_view key, std::int64_t now_us) {
        const std::string text{key};
        const std::size_t hash = absl::Hash<std::string>{}(text);
        Shard& shard = shards_[hash >> 58];
        const std::lock_guard lock{shard.mutex};
        return gcra(shard.map[text], now_us, bucket_.token_us, bucket_.capacity_us);
    }

private:
    static constexpr std::size_t kShards = 64;
    struct alignas(64) Shard {
        std::mutex mutex;
        absl::flat_hash_map<std::string, std::int64_t> map;
    };
    Bucket bucket_;
    std::array<Shard, kShards> shards_;
};

/// std::unordered_map behind one mutex.
class StdMap {
public:
    StdMap(Bucket bucket, std::size_t keys) : bucket_(bucket) { map_.reserve(keys); }
    bool check(std::string_view key, std::int64_t now_us) {
        const std::string text{key};
        const std::lock_guard lock{mutex_};
        return gcra(map_[text], now_us, bucket_.token_us, bucket_.capacity_us);
    }

private:
    Bucket bucket_;
    std::mutex mutex_;
    std::unordered_map<std::string, std::int64_t> map_;
};

/// tbb::concurrent_hash_map, which locks each element.
class TbbMap {
public:
    TbbMap(Bucket bucket, std::size_t keys) : bucket_(bucket), map_(keys) {}
    bool check(std::string_view key, std::int64_t now_us) {
        tbb::concurrent_hash_map<std::string, std::int64_t>::accessor entry;
        map_.insert(entry, std::string{key});
        return gcra(entry->second, now_us, bucket_.token_us, bucket_.capacity_us);
    }

private:
    Bucket bucket_;
    tbb::concurrent_hash_map<std::string, std::int64_t> map_;
};

}  // namespace stint::inline v0::bench
