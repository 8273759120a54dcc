#include "base/glob.hpp"

#include <gtest/gtest.h>

#include <string>

namespace stint::inline v0 {
namespace {

bool fits(std::string_view pattern, std::string_view text) {
    return Glob{pattern}.fits(text);
}

TEST(Glob, StarAloneFitsEverything) {
    EXPECT_TRUE(fits("*", ""));
    EXPECT_TRUE(fits("*", "anything"));
    EXPECT_TRUE(fits("**", ""));
    EXPECT_TRUE(Glob{"***"}.fits_all());
    EXPECT_FALSE(Glob{"*a"}.fits_all());
}

// The cases of behaviours B44.
TEST(Glob, StarMayStandAnywhereAndBeEmpty) {
    EXPECT_TRUE(fits("/api/*", "/api/"));
    EXPECT_TRUE(fits("/api/*", "/api/v1/x"));
    EXPECT_FALSE(fits("/api/*", "/api"));
    EXPECT_TRUE(fits("/api/v1*", "/api/v1"));
    EXPECT_TRUE(fits("a*b", "ab"));
    EXPECT_FALSE(fits("a*b", "a"));
    EXPECT_TRUE(fits("a*b*c", "abc"));
    EXPECT_TRUE(fits("a*b*c", "aXbYc"));
    EXPECT_FALSE(fits("a*b*c", "ab"));
    EXPECT_TRUE(fits("*.png", ".png"));
    EXPECT_FALSE(fits("*.png", "a.png?x"));
}

TEST(Glob, PartsDoNotOverlap) {
    EXPECT_FALSE(fits("ab*ba", "aba"));
    EXPECT_TRUE(fits("ab*ba", "abba"));
    EXPECT_FALSE(fits("a*bb*bc", "abbc"));
    EXPECT_TRUE(fits("a*bb*bc", "abbbc"));
    EXPECT_FALSE(fits("*aa*aa*", "aaa"));
    EXPECT_TRUE(fits("*aa*aa*", "aaaa"));
}

TEST(Glob, OtherBytesStandForThemselves) {
    EXPECT_FALSE(fits("a?c*", "abc"));
    EXPECT_TRUE(fits("a?c*", "a?c"));
    EXPECT_TRUE(fits("[x]*", "[x]y"));
    EXPECT_FALSE(fits("A*", "a"));
    EXPECT_TRUE(Glob{std::string_view("\0*\0", 3)}.fits(std::string_view("\0\xff\0", 3)));
}

// The definition, word by word and exponentially slow.
bool naive(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return text.empty();
    if (pattern.front() != '*') {
        return !text.empty() && text.front() == pattern.front() && naive(pattern.substr(1), text.substr(1));
    }
    return naive(pattern.substr(1), text) || (!text.empty() && naive(pattern, text.substr(1)));
}

TEST(Glob, AgreesWithTheDefinitionOnAllSmallCases) {
    const std::string pattern_letters = "ab*";
    const std::string text_letters = "ab";
    for (int pattern_code = 0; pattern_code < 3 * 3 * 3 * 3 * 3; ++pattern_code) {
        std::string pattern;
        for (int rest = pattern_code, i = 0; i < 5; ++i, rest /= 3) {
            pattern += pattern_letters[static_cast<std::size_t>(rest % 3)];
        }
        if (!has_wildcard(pattern)) continue;
        const Glob glob{pattern};
        for (int length = 0; length <= 7; ++length) {
            for (int code = 0; code < 1 << length; ++code) {
                std::string text;
                for (int i = 0; i < length; ++i) text += text_letters[static_cast<std::size_t>(code >> i & 1)];
                ASSERT_EQ(glob.fits(text), naive(pattern, text)) << pattern << " on " << text;
            }
        }
    }
}

}  // namespace
}  // namespace stint::inline v0
