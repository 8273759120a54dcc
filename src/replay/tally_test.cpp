#include "replay/tally.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stint::inline v0::replay {
namespace {

std::string top(const Tally& tally, std::size_t count) {
    std::string text;
    for (const auto& [name, occurred] : tally.top(count)) text += std::string{name} + std::to_string(occurred) + " ";
    return text;
}

TEST(Tally, PutsTheMostFirstAndEqualCountsInByteOrder) {
    Tally tally;
    for (const char* name : {"b", "c", "a", "c", "\xFF", "", "b", "Z"}) tally.add(name);
    EXPECT_EQ(tally.size(), 6U);
    EXPECT_EQ(top(tally, 6),
              "b2 c2 1 Z1 a1 \xFF"
              "1 ");
    EXPECT_EQ(top(tally, 3), "b2 c2 1 ");
    EXPECT_EQ(top(tally, 0), "");
    EXPECT_EQ(top(tally, 100), top(tally, 6));
}

TEST(Tally, TellsNamesApartByAllTheirBytes) {
    Tally tally;
    tally.add(std::string_view("a\0b", 3));
    tally.add(std::string_view("a\0c", 3));
    tally.add("a");
    EXPECT_EQ(tally.size(), 3U);
}

}  // namespace
}  // namespace stint::inline v0::replay
