#include "base/suggest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace stint::inline v0 {
namespace {

TEST(Suggest, CountsEditsAsPeopleMakeThem) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("abc", ""), 3U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("per", "pre"), 1U);
    EXPECT_EQ(edit_distance("ca", "abc"), 3U);  // optimal string alignment, not Damerau-Levenshtein
}

TEST(Suggest, NamesTheNearestWordOrNone) {
    constexpr std::array<std::string_view, 3> kWords{"limit", "limits", "algorithm"};
    EXPECT_EQ(suggest("limt", kWords), "limit");
    EXPECT_EQ(suggest("limitz", kWords), "limit");
    EXPECT_EQ(suggest("algoritm", kWords), "algorithm");
    EXPECT_EQ(suggest("zzz", kWords), "");
    EXPECT_EQ(suggest(std::string(1'000'000, 'x'), kWords), "");
    EXPECT_EQ(suggestion("zzz", kWords), "; known: limit, limits, algorithm");
}

}  // namespace
}  // namespace stint::inline v0
