// The same bytes mean the same in whatever pieces they arrive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "resp/examples.hpp"
#include "resp/reader.hpp"
#include "resp/transcript.hpp"

namespace stint::inline v0::resp {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;

constexpr ReaderOptions kCommands{.input = Input::commands};

void expect_nothing_before_the_end(const Example& example, const ReaderOptions& options) {
    for (std::size_t size = 0; size < example.bytes.size(); ++size) {
        const Transcript transcript = read(std::string_view{example.bytes}.substr(0, size), options);
        ASSERT_TRUE(transcript.values.empty()) << in_quotes(example.bytes) << " up to " << size;
        ASSERT_FALSE(transcript.error) << in_quotes(example.bytes) << " up to " << size << transcript.error->reason;
    }
}

void expect_same_in_pieces(const std::string& bytes, const ReaderOptions& options) {
    const Transcript whole = read(bytes, options);
    for (std::size_t first = 0; first <= bytes.size(); ++first) {
        ASSERT_EQ(read(bytes, options, first), whole) << in_quotes(bytes) << " cut at " << first;
    }
    for (std::size_t piece = 1; piece <= 8; ++piece) {
        ASSERT_EQ(read(bytes, options, piece, piece), whole) << in_quotes(bytes) << " in pieces of " << piece;
    }
}

TEST(ReaderPieces, NothingIsReadBeforeItHasArrived) {
    for (const Example& example : reply_examples()) expect_nothing_before_the_end(example, {});
    for (const Example& example : command_examples()) expect_nothing_before_the_end(example, kCommands);
}

TEST(ReaderPieces, ValuesAreTheSame) {
    for (const Example& example : reply_examples()) {
        expect_same_in_pieces(example.bytes, {});
        expect_same_in_pieces("*2\r\n" + example.bytes + ":1\r\n", {});
        expect_same_in_pieces(":1\r\n" + example.bytes + example.bytes + "+OK\r\n", {});
    }
}

TEST(ReaderPieces, CommandsAreTheSame) {
    for (const Example& example : command_examples()) {
        expect_same_in_pieces(example.bytes, kCommands);
        expect_same_in_pieces(example.bytes + "*1\r\n$1\r\nx\r\n" + example.bytes, kCommands);
    }
}

TEST(ReaderPieces, ErrorsAreTheSame) {
    for (const Malformed& wrong : malformed_replies()) expect_same_in_pieces(wrong.bytes, {});
    for (const Malformed& wrong : malformed_commands()) expect_same_in_pieces(wrong.bytes, kCommands);
    // Just within and just beyond the bounds.
    for (const std::string& text : {"1234"s, "12345"s, "123456"s, "1234567"s}) {
        const ReaderOptions small{.bulk_bytes_max = 5, .line_bytes_max = 5, .value_bytes_max = 14};
        expect_same_in_pieces("+" + text + "\r\n", small);
        expect_same_in_pieces("$5\r\n" + text + "\r\n", small);
        expect_same_in_pieces("*1\r\n+" + text + "\r\n+1\r\n", small);
        ReaderOptions commands = small;
        commands.input = Input::commands;
        expect_same_in_pieces(text + "\r\nx\r\n", commands);
        expect_same_in_pieces(text + "\nx\r\n", commands);
        expect_same_in_pieces(text + "\r\r\nx\r\n", commands);
    }
}

TEST(ReaderPieces, TextsAreRightThoughTheBufferMovedMeanwhile) {
    // Each element is longer than the buffer was before it.
    std::string bytes = "+OK\r\n*3\r\n$1\r\na\r\n";
    for (const std::size_t size : {10'000U, 100'000U}) {
        bytes += "$" + std::to_string(size) + "\r\n" + std::string(size, 'b') + "\r\n";
    }
    for (const std::size_t piece : {1'000U, 4'096U, 33'333U}) {
        const Transcript transcript = read(bytes, {}, piece, piece);
        EXPECT_THAT(transcript.values, ElementsAre("simple 'OK'", "array [bulk 'a', bulk '" + std::string(10'000, 'b') +
                                                                      "', bulk '" + std::string(100'000, 'b') + "']"));
    }
}

TEST(ReaderPieces, ALongValueByteByByteIsReadOnce) {
    // If each byte began the value or the line anew, these would be 10^11 steps or
    // 10^13 bytes each, and the test would not end in its time.
    constexpr std::size_t kBytes = 4'000'000;
    const std::string line = "+" + std::string(kBytes, 'x') + "\r\n";
    const std::string bulk = "$" + std::to_string(kBytes) + "\r\n" + std::string(kBytes, 'x') + "\r\n";
    std::string array = "*200000\r\n";
    for (int i = 0; i < 200'000; ++i) array += "#t\r\n";
    const std::string inline_command = std::string(kBytes, 'x') + "\r\n";
    const ReaderOptions replies{.line_bytes_max = kBytes};
    const ReaderOptions commands{.input = Input::commands, .line_bytes_max = kBytes};
    EXPECT_EQ(read(line, replies, 1, 1).values.size(), 1U);
    EXPECT_EQ(read(bulk, replies, 1, 1).values.size(), 1U);
    EXPECT_EQ(read(array, replies, 1, 1).values.size(), 1U);
    EXPECT_EQ(read(inline_command, commands, 1, 1).values.size(), 1U);
}

}  // namespace
}  // namespace stint::inline v0::resp
