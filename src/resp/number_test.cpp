#include "resp/number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace stint::inline v0::resp {
namespace {

TEST(Number, LengthsReachTheEndOf64Bits) {
    EXPECT_EQ(parse_length("0"), 0U);
    EXPECT_EQ(parse_length("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
    EXPECT_FALSE(parse_length("18446744073709551616"));
    EXPECT_FALSE(parse_length(""));
    EXPECT_FALSE(parse_length("-1"));
    EXPECT_FALSE(parse_length("+1"));
}

TEST(Number, IntegersReachBothEndsOf64Bits) {
    EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(parse_integer("+9223372036854775807"), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(parse_integer("-0"), 0);
    EXPECT_FALSE(parse_integer("9223372036854775808"));
    EXPECT_FALSE(parse_integer("-9223372036854775809"));
    EXPECT_FALSE(parse_integer("+"));
    EXPECT_FALSE(parse_integer("-+1"));
}

TEST(Number, RealsAreTheNearestDoubles) {
    for (const auto& [text, real] : {std::pair<const char*, double>{"0.1", 0.1},
                                     {"+0.1", 0.1},
                                     {"-2.5E-3", -2.5e-3},
                                     {"1e+300", 1e300},
                                     {"123456789012345678901234567890", 123456789012345678901234567890.0},
                                     {"5e-324", 5e-324},
                                     {"00.50", 0.5}}) {
        EXPECT_EQ(parse_real(text), real) << text;
    }
    EXPECT_TRUE(std::signbit(*parse_real("-0")));
    EXPECT_TRUE(std::isnan(*parse_real("nan")));
    EXPECT_TRUE(std::isnan(*parse_real("-nan")));
}

TEST(Number, RealsBeyondADoubleAreRefused) {
    EXPECT_FALSE(parse_real("1e309"));
    EXPECT_FALSE(parse_real("-1e309"));
    EXPECT_FALSE(parse_real("1e-400"));
    EXPECT_FALSE(parse_real(std::string(400, '9')));
}

TEST(Number, BigNumbersAreDigitsAfterASign) {
    EXPECT_TRUE(is_big_number("+0"));
    EXPECT_TRUE(is_big_number(std::string(1000, '7')));
    EXPECT_FALSE(is_big_number("-"));
    EXPECT_FALSE(is_big_number(""));
    EXPECT_FALSE(is_big_number("1-"));
}

}  // namespace
}  // namespace stint::inline v0::resp
