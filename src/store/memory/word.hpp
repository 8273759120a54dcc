// A state word: 64 bits for one counter.
//
//   0                             nothing
//   0 | 47 bits time | 16 bits    a state that fits: what it means is the
//                                 algorithm's, but as a number the word is at
//                                 most (now << 16) exactly when the key is as
//                                 if never used
//   1 | 20 bits time | 43 bits    a record elsewhere (record.hpp): its address
//                                 and, rounded up to 2^27 us (134 s), when the
//                                 key will be as if never used
//
// Times are microseconds since the store's epoch, which lies 203 days before
// the first time that the store sees; what does not fit goes to a record.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

namespace stint::inline v0::store {

struct Record;

namespace word {

inline constexpr std::uint64_t kRecordFlag = std::uint64_t{1} << 63;
inline constexpr int kPayloadBits = 16;
inline constexpr std::uint64_t kPayloadMax = 0xffff;
inline constexpr std::int64_t kTimeEnd = std::int64_t{1} << 47;
inline constexpr int kCoarseBits = 27;
inline constexpr std::uint64_t kCoarseMax = (std::uint64_t{1} << 20) - 1;
inline constexpr int kAddressBits = 43;
inline constexpr std::uint64_t kAddressable = ((std::uint64_t{1} << kAddressBits) - 1) << 4;
inline constexpr std::int64_t kEpochLead = std::int64_t{1} << 44;

[[nodiscard]] constexpr bool is_record(std::uint64_t word) noexcept {
    return (word & kRecordFlag) != 0;
}

/// Returns: the word, or nothing if time or payload do not fit. `time`: since the epoch.
[[nodiscard]] constexpr std::optional<std::uint64_t> make(std::int64_t time, std::uint64_t payload) noexcept {
    if (time < 0 || time >= kTimeEnd || payload > kPayloadMax) return std::nullopt;
    return static_cast<std::uint64_t>(time) << kPayloadBits | payload;
}
[[nodiscard]] constexpr std::int64_t time(std::uint64_t word) noexcept {
    return static_cast<std::int64_t>(word >> kPayloadBits);
}
[[nodiscard]] constexpr std::uint64_t payload(std::uint64_t word) noexcept {
    return word & kPayloadMax;
}

/// Returns: a word for a record that is as if never used at `time` since the epoch.
[[nodiscard]] inline std::uint64_t make_record(const Record* record, std::int64_t time) noexcept {
    const auto coarse =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, time) + (1 << kCoarseBits) - 1) >> kCoarseBits;
    return kRecordFlag | std::min(coarse, kCoarseMax) << kAddressBits | std::bit_cast<std::uint64_t>(record) >> 4;
}
[[nodiscard]] inline Record* record(std::uint64_t word) noexcept {
    return std::bit_cast<Record*>((word & ((std::uint64_t{1} << kAddressBits) - 1)) << 4);
}
/// Returns: when the record is as if never used, since the epoch, rounded up.
[[nodiscard]] constexpr std::int64_t record_time(std::uint64_t word) noexcept {
    return static_cast<std::int64_t>((word >> kAddressBits & kCoarseMax) << kCoarseBits);
}

/// Returns: whether the record's time was too far ahead to be told: only the record knows.
[[nodiscard]] constexpr bool is_far_record(std::uint64_t word) noexcept {
    return is_record(word) && (word >> kAddressBits & kCoarseMax) == kCoarseMax;
}

/// Returns: whether the slot is free for another key. `now`: since the epoch.
/// Of a far record this is false; see is_far_record().
[[nodiscard]] constexpr bool is_free(std::uint64_t word, std::int64_t now) noexcept {
    if (word == 0) return true;
    if (now < 0) return false;
    if (is_record(word)) return !is_far_record(word) && record_time(word) <= now;
    return now >= kTimeEnd || word <= static_cast<std::uint64_t>(now) << kPayloadBits;
}

/// Returns: when the key is as if never used, since the epoch: for ranking.
[[nodiscard]] constexpr std::int64_t as_new_at(std::uint64_t word) noexcept {
    return is_record(word) ? record_time(word) : time(word);
}

}  // namespace word
}  // namespace stint::inline v0::store
