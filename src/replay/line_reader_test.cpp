#include "replay/line_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <sstream>
#include <string>
#include <vector>

namespace stint::inline v0::replay {
namespace {

std::string gzip(const std::string& text) {
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
    std::string copy = text;
    stream.next_in = reinterpret_cast<Bytef*>(copy.data());
    stream.avail_in = static_cast<uInt>(copy.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    return out;
}

// All lines, those that are too long with a mark behind, and the error if any.
std::vector<std::string> lines(const std::string& bytes, std::size_t line_bytes_max = LineReader::kLineBytesMax) {
    std::istringstream in{bytes};
    LineReader reader{in, line_bytes_max};
    std::vector<std::string> found;
    LineReader::Line line;
    for (;;) {
        const auto more = reader.next(line);
        if (!more) found.push_back("error: " + more.error());
        if (!more || !*more) break;
        found.push_back(std::string{line.text} + (line.too_long ? " (too long)" : ""));
    }
    if (!reader.source().warning().empty()) found.push_back("warning: " + reader.source().warning());
    return found;
}

using Lines = std::vector<std::string>;

TEST(LineReader, GivesEveryLineWithoutItsEnd) {
    EXPECT_EQ(lines("a\nbc\n\nd\n"), (Lines{"a", "bc", "", "d"}));
    EXPECT_EQ(lines(""), Lines{});
    EXPECT_EQ(lines("\n"), Lines{""});
}

TEST(LineReader, TakesTheLastLineWithoutAnEnd) {
    EXPECT_EQ(lines("a\nb"), (Lines{"a", "b"}));
    EXPECT_EQ(lines("b"), Lines{"b"});
}

TEST(LineReader, TakesCarriageReturnsBeforeTheEndOnly) {
    EXPECT_EQ(lines("a\r\nb\rc\r\n\r\nd\r"), (Lines{"a", "b\rc", "", "d"}));
}

TEST(LineReader, LeavesNulAndOtherBytesAlone) {
    const std::string odd("\0a\0\xFF\x80", 5);
    EXPECT_EQ(lines(odd + "\nb"), (Lines{odd, "b"}));
}

TEST(LineReader, DropsAByteOrderMarkAtTheStartOnly) {
    EXPECT_EQ(lines("\xEF\xBB\xBF"
                    "a\n\xEF\xBB\xBF"
                    "b"),
              (Lines{"a",
                     "\xEF\xBB\xBF"
                     "b"}));
}

TEST(LineReader, NumbersLinesFromOne) {
    std::istringstream in{"a\n\nb"};
    LineReader reader{in};
    LineReader::Line line;
    for (const std::uint64_t number : {1U, 2U, 3U}) {
        ASSERT_TRUE(reader.next(line).value());
        EXPECT_EQ(reader.line_number(), number);
    }
    EXPECT_FALSE(reader.next(line).value());
    EXPECT_EQ(reader.source().consumed(), 4U);
}

TEST(LineReader, KeepsOnlyTheBeginningOfALineThatIsTooLong) {
    EXPECT_EQ(lines("12345\n123456\n1234567\nx", 6), (Lines{"12345", "123456", "123456 (too long)", "x"}));
    EXPECT_EQ(lines("123456789", 6), (Lines{"123456 (too long)"}));
    EXPECT_EQ(lines("123456\r\n1", 6), (Lines{"123456", "1"}));
    const std::string huge(3'000'000, 'x');
    EXPECT_EQ(lines("a\n" + huge + "\nb\n" + huge, 10),
              (Lines{"a", "xxxxxxxxxx (too long)", "b", "xxxxxxxxxx (too long)"}));
}

TEST(LineReader, HandlesLinesAcrossItsBuffer) {
    std::string text;
    Lines expected;
    for (std::size_t i = 0; i < 200; ++i) {
        expected.push_back(std::string(i * 97 % 20'000, static_cast<char>('a' + i % 26)));
        text += expected.back() + (i % 3 == 0 ? "\r\n" : "\n");
    }
    EXPECT_EQ(lines(text), expected);
    EXPECT_EQ(lines(gzip(text)), expected);
}

TEST(LineReader, ReadsGzipOfSeveralMembers) {
    EXPECT_EQ(lines(gzip("a\nb")), (Lines{"a", "b"}));
    EXPECT_EQ(lines(gzip("a\nb") + gzip("c\n") + gzip("") + gzip("d")), (Lines{"a", "bc", "d"}));
    EXPECT_EQ(lines(gzip("")), Lines{});
    std::string many;
    Lines expected;
    for (int i = 0; i < 20'000; ++i) {
        many += gzip(std::to_string(i) + "\n");
        expected.push_back(std::to_string(i));
    }
    EXPECT_EQ(lines(many), expected);
}

TEST(LineReader, SaysThatGzipDataIsBroken) {
    const std::string whole = gzip(std::string(10'000, 'x') + "\n" + "abc\ndef\n");
    EXPECT_EQ(lines(whole.substr(0, whole.size() - 4)).back(), "error: the gzip data ends in the middle");
    EXPECT_EQ(lines(whole.substr(0, 5)).back(), "error: the gzip data ends in the middle");
    std::string wrong_sum = whole;
    wrong_sum[wrong_sum.size() - 8] = static_cast<char>(wrong_sum[wrong_sum.size() - 8] ^ 1);
    EXPECT_EQ(lines(wrong_sum).back(), "error: broken gzip data: incorrect data check");
    EXPECT_THAT(lines("\x1f\x8b\xff\xff\xff").back(), testing::StartsWith("error: broken gzip data: "));
}

TEST(LineReader, PassesOverWhatFollowsTheGzipData) {
    EXPECT_EQ(lines(gzip("a\n") + "junk\n"), (Lines{"a", "warning: passed over what follows the gzip data"}));
}

TEST(LineReader, TakesASingleMagicByteAsText) {
    EXPECT_EQ(lines("\x1f"), Lines{"\x1f"});
    EXPECT_EQ(lines("\x1f\n\x8b"), (Lines{"\x1f", "\x8b"}));
}

}  // namespace
}  // namespace stint::inline v0::replay
