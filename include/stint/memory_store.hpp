// The embedded store: all states in this process, shared by any number of
// threads, in bounded memory. How the table works: docs/architecture.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "stint/store.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

struct MemoryStoreOptions {
    /// Bytes for all states, at least 1 MiB. Address space is reserved at once
    /// and touched as it fills: half for the table, half for states that need
    /// more than 8 bytes.
    std::size_t max_memory = std::size_t{256} << 20;
    /// Most entries in the table, at least 1024; 0: as many as the memory holds.
    std::size_t max_entries = 0;
    /// Ask the system for big pages: fewer page-table misses in a large table,
    /// at the price of touching memory 2 MiB at a time.
    bool huge_pages = true;
    /// The time of checks that bring none. Default: wall time at the start
    /// plus a steady clock, following the wall clock forward but never back.
    std::function<Instant()> clock{};
};

/// What the store holds and has dropped. Counted since its start.
struct MemoryStoreStats {
    std::size_t entries = 0;       ///< slots in use, including those that time has made as new
    std::size_t capacity = 0;      ///< slots
    std::uint64_t evictions = 0;   ///< live states dropped to make room
    std::size_t memory_bytes = 0;  ///< table reserved for slots plus records
    std::size_t record_bytes = 0;  ///< states too large for a slot
};

class MemoryStore final : public Store {
public:
    /// Errors: throws ConfigError for impossible bounds, std::bad_alloc when
    /// the address space cannot be had.
    explicit MemoryStore(MemoryStoreOptions options = {});
    ~MemoryStore() override;

    void decide(std::span<Check> checks, std::optional<Instant> now) noexcept override;
    void refund(const Limit& limit, const Answer& answer, std::uint64_t lease_id,
                std::optional<Instant> now) noexcept override;
    ChangeAnswer release(const CounterRef& counter, std::uint64_t lease_id,
                         std::optional<Instant> now) noexcept override;
    ChangeAnswer renew(const CounterRef& counter, std::uint64_t lease_id, std::optional<Instant> now) noexcept override;
    ChangeAnswer reset(const Ask& ask) noexcept override;
    /// A full log or a full set of leases may take a quarter of the memory for records.
    [[nodiscard]] std::optional<std::string> refusal(const Limit& limit) const override;
    [[nodiscard]] Instant now() const noexcept override;

    /// Cost: a walk over the table for `entries`; not for a hot path.
    [[nodiscard]] MemoryStoreStats stats() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace stint::inline v0
#pragma GCC visibility pop
