// The embedded store behind its public face: finds the slots of a check, lets
// core decide, and writes all of it or nothing.
//
// One limit: found without a lock, decided under the lock of one line. At its
// limit a key is denied without any lock, since a state word tells everything.
// Several limits: all lines locked first, in address order, then all decided,
// then all written. Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <span>

#include "stint/memory_store.hpp"
#include "store/memory/cell.hpp"
#include "store/memory/clock.hpp"
#include "store/memory/record.hpp"
#include "store/memory/slots.hpp"
#include "store/memory/table.hpp"

namespace stint::inline v0 {

class MemoryStore::Impl {
public:
    explicit Impl(MemoryStoreOptions options);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void decide(std::span<Check> checks, std::optional<Instant> now);
    void refund(const Limit& limit, const Answer& answer, std::uint64_t lease_id, std::optional<Instant> now);
    bool release(Digest counter, std::uint64_t lease_id, std::optional<Instant> now);
    bool renew(Digest counter, std::uint64_t lease_id, std::optional<Instant> now);
    void reset(const Ask& ask);
    [[nodiscard]] Instant now() noexcept { return options_.clock ? options_.clock() : clock_.now(); }
    [[nodiscard]] std::optional<std::string> refusal(const Limit& limit) const;
    [[nodiscard]] MemoryStoreStats stats() const noexcept;

private:
    class Together;

    [[nodiscard]] Digest digest_of(std::uint64_t counter_id, std::string_view key) const noexcept;
    void digests_of(const Check& check, Digest* out) const noexcept;

    void decide_one(Check& check, const Digest* digests, std::int64_t now);
    void decide_single(Check& check, Digest digest, std::int64_t now);
    [[nodiscard]] bool deny_unlocked(const Limit& limit, store::Slot slot, Digest digest, std::int64_t now,
                                     std::uint64_t cost, Answer& answer) noexcept;
    void decide_new(Check& check, Digest digest, std::int64_t now);
    void charge(const Limit& limit, store::Slot slot, const Check& check, std::int64_t now, Answer& answer);
    void charge_any(const Limit& limit, store::Slot slot, const Check& check, std::int64_t now, Answer& answer);
    [[nodiscard]] bool charge_word(const Limit& limit, store::Slot slot, const Check& check, std::int64_t now,
                                   Answer& answer) noexcept;
    void settle_word(const Limit& limit, store::Slot slot, bool allowed, std::optional<std::uint64_t> next,
                     const core::Outcome& outcome, std::uint64_t cost, Answer& answer) noexcept;
    void consume(const Limit& limit, store::Slot slot, std::int64_t t, std::uint64_t cost, std::uint64_t lease_id,
                 bool allowed, Answer& answer);
    void note(const Limit& limit, store::Slot slot, Digest digest, std::uint64_t remaining) noexcept;

    /// Calls f(slot) under the lock of the slot of this key, if it has one.
    template <typename F>
    void with_slot(Digest digest, F&& f);

    /// Returns: the given time or the clock's, within bounds. The first one sets the epoch of state words.
    [[nodiscard]] std::int64_t micros(std::optional<Instant> now) noexcept;
    [[nodiscard]] std::int64_t epoch() const noexcept { return epoch_.load(std::memory_order_relaxed); }
    [[nodiscard]] store::CellWriter writer() noexcept { return {heap_, epoch()}; }

    static constexpr std::int64_t kNoEpoch = std::numeric_limits<std::int64_t>::min();

    MemoryStoreOptions options_;
    std::atomic<std::int64_t> epoch_{kNoEpoch};
    store::Table table_;
    std::size_t record_budget_;
    store::RecordHeap heap_;
    store::Slots slots_;
    store::ForwardClock clock_;
    std::uint64_t seed_;
};

}  // namespace stint::inline v0
