#include "resp/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "resp/examples.hpp"
#include "resp/transcript.hpp"

namespace stint::inline v0::resp {
namespace {

using ::testing::ElementsAre;

TEST(Reader, ReadsEveryType) {
    for (const Example& example : reply_examples()) {
        const Transcript transcript = read(example.bytes);
        EXPECT_FALSE(transcript.error) << in_quotes(example.bytes) << transcript.error->reason;
        EXPECT_THAT(transcript.values, ElementsAre(example.meaning)) << in_quotes(example.bytes);
        EXPECT_FALSE(transcript.under_way) << in_quotes(example.bytes);
    }
}

TEST(Reader, ReadsValuesOneAfterTheOther) {
    std::string bytes;
    std::vector<std::string> meanings;
    for (const Example& example : reply_examples()) {
        bytes += example.bytes;
        meanings.push_back(example.meaning);
    }
    EXPECT_EQ(read(bytes).values, meanings);
}

TEST(Reader, SaysWhatIsWrongAndWhere) {
    for (const Malformed& wrong : malformed_replies()) {
        const Transcript transcript = read(wrong.bytes);
        ASSERT_TRUE(transcript.error) << in_quotes(wrong.bytes);
        EXPECT_EQ(transcript.error->reason, wrong.reason) << in_quotes(wrong.bytes);
        EXPECT_EQ(transcript.error->offset, wrong.offset) << in_quotes(wrong.bytes);
    }
}

TEST(Reader, GivesWhatCameBeforeAnErrorAndThenTheSameErrorForEver) {
    Reader reader;
    Transcript transcript;
    feed(reader, ":1\r\n:2\r\n:x\r\n", transcript);
    EXPECT_THAT(transcript.values, ElementsAre("int 1", "int 2"));
    const ProtocolError error = transcript.error.value();
    EXPECT_EQ(error.offset, 8U);
    feed(reader, ":3\r\n", transcript);
    EXPECT_EQ(transcript.values.size(), 2U);
    EXPECT_EQ(transcript.error, error);
}

TEST(Reader, StepsOverElementsThatHaveElements) {
    Reader reader;
    const std::string_view bytes = "*3\r\n*2\r\n:1\r\n*1\r\n:2\r\n%1\r\n+k\r\n*0\r\n:3\r\n";
    std::copy(bytes.begin(), bytes.end(), reader.prepare(bytes.size()).begin());
    reader.commit(bytes.size());
    const Value& value = **reader.next();
    ASSERT_EQ(value.size(), 3U);
    auto element = value.begin();
    EXPECT_EQ(element->type(), Type::array);
    ++element;
    EXPECT_EQ(element->type(), Type::map);
    EXPECT_EQ(element->size(), 2U);
    const auto before = element++;
    EXPECT_EQ(before->type(), Type::map);
    EXPECT_EQ(element->integer(), 3);
    EXPECT_EQ(++element, value.end());
}

TEST(Reader, TellsErrorsFromOtherValues) {
    Reader reader;
    const std::string_view bytes = "-E\r\n!1\r\nE\r\n+E\r\n$1\r\nE\r\n";
    std::copy(bytes.begin(), bytes.end(), reader.prepare(bytes.size()).begin());
    reader.commit(bytes.size());
    for (const bool is_error : {true, true, false, false}) EXPECT_EQ((*reader.next())->is_error(), is_error);
    EXPECT_EQ(*reader.next(), nullptr);
}

TEST(Reader, RefusesWhatIsDeclaredTooLargeBeforeItArrives) {
    EXPECT_TRUE(read("$16777217\r\n").error);
    EXPECT_FALSE(read("$16777216\r\n").error);
    EXPECT_TRUE(read("*1048577\r\n").error);
    EXPECT_FALSE(read("*1048576\r\n").error);
    EXPECT_TRUE(read("+" + std::string(65537, 'x')).error);
    EXPECT_FALSE(read("+" + std::string(65536, 'x')).error);
}

TEST(Reader, CountsOffsetsFromTheFirstByteOfAll) {
    Reader reader;
    Transcript transcript;
    for (int i = 0; i < 10'000; ++i) feed(reader, ":1\r\n", transcript);
    feed(reader, "*1\r\n:x\r\n", transcript);
    EXPECT_EQ(transcript.values.size(), 10'000U);
    EXPECT_EQ(transcript.error.value().offset, 40'004U);
}

TEST(Reader, TakesAValueOfTheLargestDepthAndManyElements) {
    std::string bytes;
    for (int i = 0; i < 15; ++i) bytes += "*1\r\n";
    bytes += "*100000\r\n";
    for (int i = 0; i < 100'000; ++i) bytes += ":1\r\n";
    EXPECT_EQ(read(bytes).values.size(), 1U);
    EXPECT_TRUE(read("*1\r\n" + bytes).error);
}

}  // namespace
}  // namespace stint::inline v0::resp
