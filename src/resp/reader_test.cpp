#include "resp/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "resp/examples.hpp"
#include "resp/transcript.hpp"

namespace stint::resp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

struct Bound {
    ReaderOptions options;
    std::string most;    // the largest that is allowed
    std::string beyond;  // one more
    std::string reason;
};

std::string bulk(std::size_t bytes) {
    return "$" + std::to_string(bytes) + "\r\n" + std::string(bytes, 'x') + "\r\n";
}

TEST(Reader, HoldsEachBound) {
    const std::string bulks = "a bulk string longer than bulk_bytes_max";
    const std::string lines = "a line longer than line_bytes_max";
    const std::string depth = "values nested deeper than depth_max";
    const std::string elements = "a value of more elements than elements_max";
    const std::string values = "a value longer than value_bytes_max";
    const ReaderOptions four_elements{.elements_max = 4};
    const ReaderOptions two_deep{.depth_max = 2};
    const ReaderOptions small{.value_bytes_max = 10};
    const std::vector<Bound> bounds = {
        {{.bulk_bytes_max = 10}, bulk(10), bulk(11), bulks},
        {{.bulk_bytes_max = 10}, "=10\r\ntxt:123456\r\n", "=11\r\ntxt:1234567\r\n", bulks},
        {{.bulk_bytes_max = 10}, "!10\r\n1234567890\r\n", "!11\r\n12345678901\r\n", bulks},
        {{.bulk_bytes_max = 0}, bulk(0), bulk(1), bulks},
        {{.line_bytes_max = 5}, "+12345\r\n", "+123456\r\n", lines},
        {{.line_bytes_max = 5}, ":12345\r\n", ":123456\r\n", lines},
        {{.line_bytes_max = 5}, "$00001\r\nx\r\n", "$000001\r\nx\r\n", lines},
        {{.line_bytes_max = 0}, "+\r\n", "+1\r\n", lines},
        {two_deep, "*1\r\n*1\r\n:1\r\n", "*1\r\n*1\r\n*1\r\n:1\r\n", depth},
        {two_deep, "*1\r\n*0\r\n", "*1\r\n*1\r\n*0\r\n", depth},
        {two_deep, "|1\r\n*1\r\n:1\r\n:2\r\n:3\r\n", "*1\r\n*1\r\n|1\r\n:1\r\n:2\r\n:3\r\n", depth},
        {{.depth_max = 0}, ":1\r\n", "*0\r\n", depth},
        {four_elements, "*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "*5\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n", elements},
        {four_elements, "*2\r\n*1\r\n:1\r\n*1\r\n:1\r\n", "*2\r\n*1\r\n:1\r\n*2\r\n:1\r\n:2\r\n", elements},
        {four_elements, "%2\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "%3\r\n", elements},
        {four_elements, "*2\r\n|1\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "*2\r\n|2\r\n", elements},
        {four_elements, "*0\r\n", "*18446744073709551615\r\n", elements},
        {four_elements, "%0\r\n", "%9223372036854775808\r\n", elements},
        {small, "+1234567\r\n", "+12345678\r\n", values},
        {small, bulk(4), bulk(5), values},
        {small, "*1\r\n:123\r\n", "*1\r\n:1234\r\n", values},
        {small, "*1\r\n$0\r\n\r\n", "*2\r\n$0\r\n\r\n:1\r\n", values},
        {small, "|0\r\n+abc\r\n", "|0\r\n+abcd\r\n", values},
        {{.bulk_bytes_max = SIZE_MAX}, bulk(0), "$18446744073709551615\r\n", values},
    };
    for (const Bound& bound : bounds) {
        // Two, as a bound is that of one value.
        const Transcript allowed = read(bound.most + bound.most, bound.options);
        EXPECT_EQ(allowed.values.size(), 2U) << in_quotes(bound.most);
        EXPECT_FALSE(allowed.error) << in_quotes(bound.most) << allowed.error->reason;
        const Transcript refused = read(bound.beyond, bound.options);
        EXPECT_THAT(refused.values, IsEmpty()) << in_quotes(bound.beyond);
        ASSERT_TRUE(refused.error) << in_quotes(bound.beyond);
        EXPECT_EQ(refused.error->reason, bound.reason) << in_quotes(bound.beyond);
    }
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
}  // namespace stint::resp
