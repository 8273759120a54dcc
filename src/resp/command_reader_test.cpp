// The direction from clients to a server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "resp/examples.hpp"
#include "resp/reader.hpp"
#include "resp/transcript.hpp"

namespace stint::resp {
namespace {

using ::testing::ElementsAre;

constexpr ReaderOptions kCommands{.input = Input::commands};

TEST(CommandReader, ReadsArraysAndLines) {
    for (const Example& example : command_examples()) {
        const Transcript transcript = read(example.bytes, kCommands);
        EXPECT_FALSE(transcript.error) << in_quotes(example.bytes) << transcript.error->reason;
        EXPECT_THAT(transcript.values, ElementsAre(example.meaning)) << in_quotes(example.bytes);
        EXPECT_FALSE(transcript.under_way) << in_quotes(example.bytes);
    }
}

TEST(CommandReader, ReadsPipelinedCommandsOfBothKinds) {
    EXPECT_THAT(read("*1\r\n$1\r\na\r\nb c\r\n\r\n*0\r\n*2\r\n$1\r\nd\r\n$1\r\ne\r\nf\n", kCommands).values,
                ElementsAre("array [bulk 'a']", "array [bulk 'b', bulk 'c']", "array [bulk 'd', bulk 'e']",
                            "array [bulk 'f']"));
}

TEST(CommandReader, SaysWhatIsWrongAndWhere) {
    for (const Malformed& wrong : malformed_commands()) {
        const Transcript transcript = read(wrong.bytes, kCommands);
        ASSERT_TRUE(transcript.error) << in_quotes(wrong.bytes);
        EXPECT_EQ(transcript.error->reason, wrong.reason) << in_quotes(wrong.bytes);
        EXPECT_EQ(transcript.error->offset, wrong.offset) << in_quotes(wrong.bytes);
    }
}

TEST(CommandReader, HoldsEachBound) {
    const std::string bulks = "a bulk string longer than bulk_bytes_max";
    const std::string lines = "a line longer than line_bytes_max";
    const std::string elements = "a value of more elements than elements_max";
    const std::string values = "a value longer than value_bytes_max";
    const ReaderOptions bounded{.input = Input::commands, .bulk_bytes_max = 6, .line_bytes_max = 8, .elements_max = 3};
    const ReaderOptions small{.input = Input::commands, .value_bytes_max = 11};
    struct Bound {
        ReaderOptions options;
        std::string most;
        std::string beyond;
        std::string reason;
    };
    const std::vector<Bound> bounds = {
        {bounded, "*1\r\n$6\r\n123456\r\n", "*1\r\n$7\r\n1234567\r\n", bulks},
        {bounded, "123456\r\n", "1234567\r\n", bulks},
        {bounded, "\"123456\"\r\n", "a \"1234567\r\n", lines},
        {bounded, "*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n", "*4\r\n", elements},
        {bounded, "a b c\r\n", "a b c d\r\n", elements},
        {bounded, "123 5678\r\n", "123 56789\r\n", lines},
        {bounded, "123 5678\n", "123 56789\n", lines},
        {bounded, "123 567 \r\n", "123 567 \r\r\n", lines},
        {small, "*1\r\n$1\r\na\r\n", "*1\r\n$2\r\nab\r\n", values},
        {small, "123456789\r\n", "1234567890\r\n", values},
    };
    for (const Bound& bound : bounds) {
        const Transcript allowed = read(bound.most + bound.most, bound.options);
        EXPECT_EQ(allowed.values.size(), 2U) << in_quotes(bound.most);
        EXPECT_FALSE(allowed.error) << in_quotes(bound.most) << allowed.error->reason;
        const Transcript refused = read(bound.beyond, bound.options);
        EXPECT_TRUE(refused.values.empty()) << in_quotes(bound.beyond);
        ASSERT_TRUE(refused.error) << in_quotes(bound.beyond);
        EXPECT_EQ(refused.error->reason, bound.reason) << in_quotes(bound.beyond);
    }
}

TEST(CommandReader, RefusesALineWithoutEndBeforeItsEnd) {
    EXPECT_TRUE(read(std::string(65538, 'x'), kCommands).error);
    EXPECT_FALSE(read(std::string(65536, 'x'), kCommands).error);
}

}  // namespace
}  // namespace stint::resp
