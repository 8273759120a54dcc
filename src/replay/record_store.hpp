// All records of a replay, to be put in order of time. A log repeats itself:
// each different value is kept once and records hold its number, and only the
// fields that the rules look at are kept at all. Rules by address take 16 bytes
// a line, and the addresses.
// Tested by record_store_test.cpp. Threads: one at a time.
#pragma once

#include <bitset>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "replay/access_record.hpp"

namespace stint::inline v0::replay {

using FieldSet = std::bitset<kFieldCount>;

class RecordStore {
public:
    /// The most records that fit; there is memory for fewer on most machines.
    static constexpr std::size_t kRecordsMax = 0xFFFF'FFFF;

    /// Only the fields in `kept` are stored; the others come back absent.
    explicit RecordStore(FieldSet kept);

    /// Requires: size() < kRecordsMax.
    void add(const AccessRecord& record);
    [[nodiscard]] std::size_t size() const noexcept { return times_.size(); }

    /// Puts the records in order of time; those of one time stay as they came.
    void sort_by_time();

    /// Returns: the record at this place in the order. It lives as long as the store.
    [[nodiscard]] AccessRecord at(std::size_t place) const;

private:
    // Each text once, in blocks that never move.
    class Texts {
    public:
        std::uint32_t number_of(std::string_view text);
        [[nodiscard]] std::string_view text(std::uint32_t number) const noexcept { return texts_[number]; }

    private:
        std::string_view keep(std::string_view text);

        boost::unordered_flat_map<std::string_view, std::uint32_t> numbers_;
        std::vector<std::string_view> texts_;
        std::vector<std::unique_ptr<char[]>> blocks_;
        std::size_t block_left_ = 0;
        char* block_next_ = nullptr;
    };

    std::vector<Field> fields_;
    Texts texts_;
    std::vector<std::int64_t> times_;
    std::vector<std::uint32_t> values_;  // fields_.size() for each record, as they came
    std::vector<std::uint32_t> order_;   // empty: as they came
};

}  // namespace stint::inline v0::replay
