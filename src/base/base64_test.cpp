#include "base/base64.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stint::inline v0 {
namespace {

using namespace std::string_literals;

TEST(Base64, GivesTheExamplesOfTheRfc) {
    // RFC 4648, section 10.
    const std::vector<std::pair<std::string, std::string>> examples = {{"", ""},
                                                                       {"f", "Zg=="},
                                                                       {"fo", "Zm8="},
                                                                       {"foo", "Zm9v"},
                                                                       {"foob", "Zm9vYg=="},
                                                                       {"fooba", "Zm9vYmE="},
                                                                       {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : examples) {
        EXPECT_EQ(base64_encode(bytes), text);
        std::string decoded = "before ";
        EXPECT_TRUE(base64_decode(text, decoded)) << text;
        EXPECT_EQ(decoded, "before " + bytes);
    }
}

TEST(Base64, CarriesEveryByte) {
    std::string bytes;
    for (int value = 0; value < 256; ++value) bytes += static_cast<char>(value);
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        std::string decoded;
        ASSERT_TRUE(base64_decode(base64_encode(bytes.substr(0, size)), decoded));
        ASSERT_EQ(decoded, bytes.substr(0, size));
    }
}

TEST(Base64, RefusesAllThatIsNotCanonical) {
    for (const std::string& text : {"Z"s, "Zg"s, "Zg="s, "Zg==="s, "===="s, "Z==="s, "Zh=="s, "Zm9="s, "Zm9v\n"s,
                                    "Zm 9"s, "Zm-_"s, "Zg==Zg=="s, "Zg=a"s, "\0AAA"s, "\xff\xff\xff\xff"s}) {
        std::string decoded = "kept";
        EXPECT_FALSE(base64_decode(text, decoded)) << text;
        EXPECT_EQ(decoded, "kept");
    }
}

}  // namespace
}  // namespace stint::inline v0
