// The direction from clients to a server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "resp/examples.hpp"
#include "resp/reader.hpp"
#include "resp/transcript.hpp"

namespace stint::inline v0::resp {
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

TEST(CommandReader, RefusesALineWithoutEndBeforeItsEnd) {
    EXPECT_TRUE(read(std::string(65538, 'x'), kCommands).error);
    EXPECT_FALSE(read(std::string(65536, 'x'), kCommands).error);
}

}  // namespace
}  // namespace stint::inline v0::resp
