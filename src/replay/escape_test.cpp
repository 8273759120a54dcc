#include "replay/escape.hpp"

#include <gtest/gtest.h>

namespace stint::inline v0::replay {
namespace {

TEST(Utf8, IsToldFromOtherBytes) {
    for (const char* text : {"", "a", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80",
                             "\xF4\x8F\xBF\xBF", "gr\xC3\xBC\xC3\x9F", "\xED\x9F\xBF", "\xEE\x80\x80"}) {
        EXPECT_TRUE(is_utf8(text)) << text;
    }
    // Overlong forms, surrogates, beyond the last, tails alone, cut short.
    for (const char* text : {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xED\xA0\x80", "\xED\xBF\xBF",
                             "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80", "\xBF", "\xC3", "\xE2\x82", "\xF0\x9F\x98",
                             "a\xFF", "\xFE", "\xC3(", "\xE2(\xA1"}) {
        EXPECT_FALSE(is_utf8(text)) << text;
    }
    EXPECT_TRUE(is_utf8(std::string_view("\0", 1)));
}

TEST(Printable, LeavesOrdinaryTextAlone) {
    EXPECT_EQ(printable("GET /gr\xC3\xBC\xC3\x9F <b> \"q\""), "GET /gr\xC3\xBC\xC3\x9F <b> \"q\"");
}

TEST(Printable, ShowsControlCharactersAndStrayBytesAsHex) {
    EXPECT_EQ(printable(std::string_view("a\0\n\x1B[2J\x7F", 8)), "a\\x00\\x0a\\x1b[2J\\x7f");
    EXPECT_EQ(printable("\xFF\xC0\xAF"), "\\xff\\xc0\\xaf");
    EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b");           // CSI in one character
    EXPECT_EQ(printable("\xE2\x80\xAE"), "\\xe2\\x80\\xae");  // turns the direction of writing
    EXPECT_EQ(printable("a\\x00"), "a\\\\x00");
}

TEST(Printable, CutsLongTextBetweenCharacters) {
    EXPECT_EQ(printable("abcdef", 6), "abcdef");
    EXPECT_EQ(printable("abcdefg", 6), "abcdef…");
    EXPECT_EQ(printable("abcde\xC3\xBCx", 6), "abcde\xC3\xBC…");
}

TEST(HtmlEscape, LeavesNoMarkup) {
    EXPECT_EQ(html_escape("<script>alert('x' & \"y\")</script>"),
              "&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;");
}

}  // namespace
}  // namespace stint::inline v0::replay
