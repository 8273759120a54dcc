#include "stint/inline_vector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace stint::inline v0 {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using Words = InlineVector<std::string, 2>;

/// Long enough to be on the heap, so that the sanitizers see a lost or doubled element.
std::string word(int number) {
    return "a word that no small string can hold in place, number " + std::to_string(number);
}

Words words(int count) {
    Words made;
    for (int i = 0; i < count; ++i) made.push_back(word(i));
    return made;
}

TEST(InlineVector, KeepsItsFirstElementsInItself) {
    Words two = words(2);
    const auto* begin = reinterpret_cast<const char*>(&two);
    const auto* element = reinterpret_cast<const char*>(&two[1]);
    EXPECT_TRUE(element > begin && element < begin + sizeof(two));
    two.push_back(word(2));
    EXPECT_THAT(two, ElementsAre(word(0), word(1), word(2)));
}

TEST(InlineVector, CopiesAreOfTheirOwn) {
    for (const int count : {0, 1, 2, 3, 9}) {
        const Words original = words(count);
        Words copy = original;
        EXPECT_EQ(copy, original);
        copy.push_back("x");
        EXPECT_EQ(original.size(), static_cast<std::size_t>(count));
        Words assigned = words(5);
        assigned = original;
        EXPECT_EQ(assigned, original);
    }
}

TEST(InlineVector, MovingLeavesNothingBehind) {
    for (const int count : {0, 1, 2, 3, 9}) {
        Words from = words(count);
        Words to = std::move(from);
        EXPECT_EQ(to, words(count));
        EXPECT_THAT(from, IsEmpty());
        from.push_back("again");
        EXPECT_THAT(from, ElementsAre("again"));
        for (const int other : {0, 1, 4}) {
            Words assigned = words(other);
            assigned = std::move(to);
            EXPECT_EQ(assigned, words(count));
            to = std::move(assigned);
        }
    }
}

TEST(InlineVector, SurvivesItself) {
    Words some = words(3);
    Words& same = some;
    some = same;
    EXPECT_EQ(some, words(3));
    some = std::move(same);
    EXPECT_EQ(some, words(3));
    some.push_back(some[0]);  // the source moves while it grows
    EXPECT_THAT(some, ElementsAre(word(0), word(1), word(2), word(0)));
}

TEST(InlineVector, TakesWhatCanOnlyMove) {
    InlineVector<std::unique_ptr<int>, 1> owners;
    for (int i = 0; i < 5; ++i) owners.push_back(std::make_unique<int>(i));
    const auto moved = std::move(owners);
    EXPECT_EQ(*moved[4], 4);
}

TEST(InlineVector, DoesWhatAVectorDoes) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random{seed};
    Words tested;
    std::vector<std::string> model;
    for (int step = 0; step < 20'000; ++step) {
        switch (random() % 8) {
            case 0:
                tested.clear();
                model.clear();
                break;
            case 1: {
                Words other = tested;
                tested = std::move(other);
                break;
            }
            case 2:
                tested.reserve(random() % 10);
                break;
            default:
                tested.push_back(word(step));
                model.push_back(word(step));
        }
        ASSERT_EQ(tested.size(), model.size());
        ASSERT_EQ(tested.empty(), model.empty());
        if (step % 16 == 0) {
            ASSERT_THAT(tested, ElementsAreArray(model));
        }
    }
}

}  // namespace
}  // namespace stint::inline v0
