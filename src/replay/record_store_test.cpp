#include "replay/record_store.hpp"

#include <gtest/gtest.h>

#include <string>

namespace stint::inline v0::replay {
namespace {

AccessRecord record(std::int64_t us, std::string_view ip) {
    AccessRecord made;
    made.time = Instant{Duration{us}};
    made.set(Field::ip, ip);
    return made;
}

FieldSet all_fields() {
    return FieldSet{}.set();
}

std::string order(const RecordStore& store) {
    std::string text;
    for (std::size_t i = 0; i < store.size(); ++i) text += store.at(i).get(Field::ip);
    return text;
}

TEST(RecordStore, SortsByTimeAndKeepsTheOrderOfEqualTimes) {
    RecordStore store{all_fields()};
    store.add(record(5, "a"));
    store.add(record(3, "b"));
    store.add(record(5, "c"));
    store.add(record(-1, "d"));
    store.add(record(3, "e"));
    store.add(record(5, "f"));
    EXPECT_EQ(order(store), "abcdef");
    store.sort_by_time();
    EXPECT_EQ(order(store), "dbeacf");
}

TEST(RecordStore, SortsAgainAfterMoreCame) {
    RecordStore store{all_fields()};
    store.add(record(2, "a"));
    store.add(record(1, "b"));
    store.sort_by_time();
    store.add(record(0, "c"));
    store.sort_by_time();
    EXPECT_EQ(order(store), "cba");
}

TEST(RecordStore, GivesBackEveryFieldAndTellsEmptyFromAbsent) {
    RecordStore store{all_fields()};
    AccessRecord in = record(1, "10.0.0.1");
    in.set(Field::query, "");
    in.set(Field::user_agent, std::string_view("a\0b", 3));
    store.add(in);
    store.add(record(2, "10.0.0.1"));
    const AccessRecord out = store.at(0);
    EXPECT_EQ(out.time, in.time);
    EXPECT_EQ(out.get(Field::ip), "10.0.0.1");
    EXPECT_TRUE(out.has(Field::query));
    EXPECT_EQ(out.get(Field::query), "");
    EXPECT_EQ(out.get(Field::user_agent), std::string_view("a\0b", 3));
    EXPECT_FALSE(out.has(Field::path));
    EXPECT_FALSE(store.at(1).has(Field::query));
}

TEST(RecordStore, KeepsOnlyTheFieldsAskedFor) {
    RecordStore store{FieldSet{}.set(static_cast<std::size_t>(Field::ip))};
    AccessRecord in = record(1, "a");
    in.set(Field::path, "/");
    store.add(in);
    EXPECT_TRUE(store.at(0).has(Field::ip));
    EXPECT_FALSE(store.at(0).has(Field::path));
}

TEST(RecordStore, OutlivesTheLinesThatItWasFilledFrom) {
    RecordStore store{all_fields()};
    for (int i = 0; i < 5000; ++i) {
        std::string text(static_cast<std::size_t>(i), 'x');
        store.add(record(i, text));
        text.assign(text.size(), 'y');
    }
    for (std::size_t i = 0; i < 5000; ++i) ASSERT_EQ(store.at(i).get(Field::ip), std::string(i, 'x'));
}

}  // namespace
}  // namespace stint::inline v0::replay
