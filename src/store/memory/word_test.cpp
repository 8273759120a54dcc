#include "store/memory/word.hpp"

#include <gtest/gtest.h>

#include "store/memory/record.hpp"

namespace stint::inline v0::store::word {
namespace {

TEST(Word, IsFreeExactlyWhenItsKeyIsAsNew) {
    // A bucket that is full at 100 us, and one that is full at 100 us and a rest.
    EXPECT_TRUE(is_free(*make(100, 0), 100));
    EXPECT_FALSE(is_free(*make(100, 0), 99));
    EXPECT_FALSE(is_free(*make(100, 1), 100));
    EXPECT_TRUE(is_free(*make(100, 1), 101));
    EXPECT_TRUE(is_free(0, -1));
    EXPECT_FALSE(is_free(*make(0, 1), -1));
    EXPECT_TRUE(is_free(*make(kTimeEnd - 1, kPayloadMax), kTimeEnd));
}

TEST(Word, RefusesWhatDoesNotFit) {
    EXPECT_FALSE(make(-1, 0));
    EXPECT_FALSE(make(kTimeEnd, 0));
    EXPECT_FALSE(make(0, kPayloadMax + 1));
    EXPECT_FALSE(is_record(*make(kTimeEnd - 1, kPayloadMax)));
}

TEST(Word, KeepsARecordsAddressAndRoundsItsTimeUp) {
    RecordHeap heap;
    auto* record = heap.allocate<WideRecord>(sizeof(WideRecord));
    const std::uint64_t word = make_record(record, 1'000'000'000'001);
    EXPECT_TRUE(is_record(word));
    EXPECT_EQ(word::record(word), record);
    EXPECT_GE(record_time(word), 1'000'000'000'001);
    EXPECT_LT(record_time(word), 1'000'000'000'001 + (1 << kCoarseBits));
    EXPECT_FALSE(is_free(word, 1'000'000'000'000));
    // Too far ahead to be told: never free by its time.
    EXPECT_FALSE(is_free(make_record(record, std::int64_t{1} << 60), kTimeEnd - 1));
    heap.free(record);
    EXPECT_EQ(heap.bytes(), 0U);
}

}  // namespace
}  // namespace stint::inline v0::store::word
