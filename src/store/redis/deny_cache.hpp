// Denials that hold for a known time, so that a key at its limit needs no server
// until then. Kept are only those whose numbers nobody can change meanwhile: of
// one limit, at cost 1. While not even one unit fits, nothing is counted, and
// waits and resets shorten as time passes. What does change them, a refund or
// reset elsewhere, is seen after kLongest at the latest.
// Tested by deny_cache_test.cpp. Threads: any.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "store/redis/job.hpp"

namespace stint::inline v0::store::redis {

class DenyCache {
public:
    /// No denial is kept longer, measured from the moment at which it was asked for.
    static constexpr std::chrono::milliseconds kLongest{1'000};
    /// Denials kept at a time; of two that fall into one place the later is kept.
    static constexpr std::size_t kPlaces = 16'384;

    DenyCache();

    /// What a check was asked under: its denial is not kept if its place was dropped since.
    struct Question {
        Digest digest;
        std::uint32_t drops = 0;
        Clock::time_point asked{};
    };

    /// Whether a denial of this check may be kept.
    [[nodiscard]] static bool covers(const Check& check) noexcept;

    /// Whether denials of this ask may be kept.
    [[nodiscard]] static bool covers(const Ask& ask) noexcept;
    /// Returns: what tells the ask's key from others, in this process. Requires: covers(ask).
    [[nodiscard]] Digest digest_of(const Ask& ask) const noexcept;

    /// Answers the check if its denial is known. Returns: nothing then; else what keep() wants. Requires:
    /// covers(check).
    [[nodiscard]] std::optional<Question> answer(Check& check, Clock::time_point now) noexcept;
    /// Keeps the answer that the store gave, if it is a denial.
    void keep(const Question& question, const Check& check, Clock::time_point now) noexcept;

    /// Forgets what is known of a key, and what is on its way: after the server has changed it.
    /// `digest_high`: the first half of its digest.
    void drop(std::uint64_t digest_high) noexcept;

private:
    struct Denial {
        Clock::time_point until{};  // certain until then
        Clock::time_point answered{};
        Digest digest{};
        std::uint64_t counter = 0;
        std::uint64_t limit = 0;
        std::uint64_t ceiling = 0;
        std::int64_t moment = 0;
        Duration retry_after{};
        Duration reset_after{};
        std::uint32_t drops = 0;
    };

    static std::size_t place_of(std::uint64_t digest_high) noexcept { return digest_high % kPlaces; }
    [[nodiscard]] std::mutex& mutex_of(std::size_t place) noexcept { return mutexes_[place % mutexes_.size()]; }

    std::uint64_t seed_;
    std::array<std::mutex, 64> mutexes_;
    std::vector<Denial> places_;
};

}  // namespace stint::inline v0::store::redis
