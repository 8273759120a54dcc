#include "replay/record_store.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/assert.hpp"

namespace stint::inline v0::replay {
namespace {

constexpr std::uint32_t kAbsent = 0xFFFF'FFFF;
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

}  // namespace

std::string_view RecordStore::Texts::keep(std::string_view text) {
    if (text.empty()) return "";
    if (text.size() > block_left_) {
        const std::size_t bytes = std::max(text.size(), kBlockBytes);
        blocks_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
        block_next_ = blocks_.back().get();
        block_left_ = bytes;
    }
    char* const place = block_next_;
    std::memcpy(place, text.data(), text.size());
    block_next_ += text.size();
    block_left_ -= text.size();
    return {place, text.size()};
}

std::uint32_t RecordStore::Texts::number_of(std::string_view text) {
    const auto known = numbers_.find(text);
    if (known != numbers_.end()) return known->second;
    STINT_ASSERT(texts_.size() < kAbsent);
    const auto number = static_cast<std::uint32_t>(texts_.size());
    const std::string_view kept = keep(text);
    texts_.push_back(kept);
    numbers_.emplace(kept, number);
    return number;
}

RecordStore::RecordStore(FieldSet kept) {
    for (std::size_t i = 0; i < kFieldCount; ++i) {
        if (kept.test(i)) fields_.push_back(static_cast<Field>(i));
    }
}

void RecordStore::add(const AccessRecord& record) {
    STINT_ASSERT(times_.size() < kRecordsMax);
    times_.push_back(record.time.time_since_epoch().count());
    for (const Field field : fields_) {
        values_.push_back(record.has(field) ? texts_.number_of(record.get(field)) : kAbsent);
    }
    order_.clear();
}

void RecordStore::sort_by_time() {
    order_.clear();
    if (std::is_sorted(times_.begin(), times_.end())) return;
    order_.resize(times_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return times_[a] < times_[b]; });
}

AccessRecord RecordStore::at(std::size_t place) const {
    const std::size_t index = order_.empty() ? place : order_[place];
    AccessRecord record;
    record.time = Instant{Duration{times_[index]}};
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const std::uint32_t number = values_[index * fields_.size() + i];
        if (number != kAbsent) record.set(fields_[i], texts_.text(number));
    }
    return record;
}

}  // namespace stint::inline v0::replay
