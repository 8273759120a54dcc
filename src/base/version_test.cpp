#include "stint/version.hpp"

#include <gtest/gtest.h>

#include <string>

namespace stint::inline v0 {
namespace {

TEST(Version, IsThatOfTheProject) {
    EXPECT_STREQ(STINT_VERSION, STINT_PROJECT_VERSION);
}

TEST(Version, TextAndNumbersAgree) {
    EXPECT_EQ(STINT_VERSION, std::to_string(STINT_VERSION_MAJOR) + '.' + std::to_string(STINT_VERSION_MINOR) + '.' +
                                 std::to_string(STINT_VERSION_PATCH));
}

}  // namespace
}  // namespace stint::inline v0
