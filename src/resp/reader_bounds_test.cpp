// Each bound of a reader: what is as large as it may be is read, what is larger
// by one is refused, and the reason names the bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "resp/reader.hpp"
#include "resp/transcript.hpp"

namespace stint::inline v0::resp {
namespace {

using ::testing::IsEmpty;

constexpr auto kBulks = "a bulk string longer than bulk_bytes_max";
constexpr auto kLines = "a line longer than line_bytes_max";
constexpr auto kDepth = "values nested deeper than depth_max";
constexpr auto kElements = "a value of more elements than elements_max";
constexpr auto kValues = "a value longer than value_bytes_max";

struct Bound {
    ReaderOptions options;
    std::string most;    // the largest that is allowed
    std::string beyond;  // one more
    std::string reason;
};

std::string bulk(std::size_t bytes) {
    return "$" + std::to_string(bytes) + "\r\n" + std::string(bytes, 'x') + "\r\n";
}

void expect_held(const std::vector<Bound>& bounds) {
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

TEST(ReaderBounds, HoldForReplies) {
    const ReaderOptions four_elements{.elements_max = 4};
    const ReaderOptions two_deep{.depth_max = 2};
    const ReaderOptions small{.value_bytes_max = 10};
    expect_held({
        {{.bulk_bytes_max = 10}, bulk(10), bulk(11), kBulks},
        {{.bulk_bytes_max = 10}, "=10\r\ntxt:123456\r\n", "=11\r\ntxt:1234567\r\n", kBulks},
        {{.bulk_bytes_max = 10}, "!10\r\n1234567890\r\n", "!11\r\n12345678901\r\n", kBulks},
        {{.bulk_bytes_max = 0}, bulk(0), bulk(1), kBulks},
        {{.line_bytes_max = 5}, "+12345\r\n", "+123456\r\n", kLines},
        {{.line_bytes_max = 5}, ":12345\r\n", ":123456\r\n", kLines},
        {{.line_bytes_max = 5}, "$00001\r\nx\r\n", "$000001\r\nx\r\n", kLines},
        {{.line_bytes_max = 0}, "+\r\n", "+1\r\n", kLines},
        {two_deep, "*1\r\n*1\r\n:1\r\n", "*1\r\n*1\r\n*1\r\n:1\r\n", kDepth},
        {two_deep, "*1\r\n*0\r\n", "*1\r\n*1\r\n*0\r\n", kDepth},
        {two_deep, "|1\r\n*1\r\n:1\r\n:2\r\n:3\r\n", "*1\r\n*1\r\n|1\r\n:1\r\n:2\r\n:3\r\n", kDepth},
        {{.depth_max = 0}, ":1\r\n", "*0\r\n", kDepth},
        {four_elements, "*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "*5\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n", kElements},
        {four_elements, "*2\r\n*1\r\n:1\r\n*1\r\n:1\r\n", "*2\r\n*1\r\n:1\r\n*2\r\n:1\r\n:2\r\n", kElements},
        {four_elements, "%2\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "%3\r\n", kElements},
        {four_elements, "*2\r\n|1\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "*2\r\n|2\r\n", kElements},
        {four_elements, "*0\r\n", "*18446744073709551615\r\n", kElements},
        {four_elements, "%0\r\n", "%9223372036854775808\r\n", kElements},
        {small, "+1234567\r\n", "+12345678\r\n", kValues},
        {small, bulk(4), bulk(5), kValues},
        {small, "*1\r\n:123\r\n", "*1\r\n:1234\r\n", kValues},
        {small, "*1\r\n$0\r\n\r\n", "*2\r\n$0\r\n\r\n:1\r\n", kValues},
        {small, "|0\r\n+abc\r\n", "|0\r\n+abcd\r\n", kValues},
        {{.bulk_bytes_max = SIZE_MAX}, bulk(0), "$18446744073709551615\r\n", kValues},
    });
}

TEST(ReaderBounds, HoldForCommands) {
    const ReaderOptions bounded{.input = Input::commands, .bulk_bytes_max = 6, .line_bytes_max = 8, .elements_max = 3};
    const ReaderOptions small{.input = Input::commands, .value_bytes_max = 11};
    expect_held({
        {bounded, "*1\r\n$6\r\n123456\r\n", "*1\r\n$7\r\n1234567\r\n", kBulks},
        {bounded, "123456\r\n", "1234567\r\n", kBulks},
        {bounded, "\"123456\"\r\n", "a \"1234567\r\n", kLines},
        {bounded, "*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n", "*4\r\n", kElements},
        {bounded, "a b c\r\n", "a b c d\r\n", kElements},
        {bounded, "123 5678\r\n", "123 56789\r\n", kLines},
        {bounded, "123 5678\n", "123 56789\n", kLines},
        {bounded, "123 567 \r\n", "123 567 \r\r\n", kLines},
        {small, "*1\r\n$1\r\na\r\n", "*1\r\n$2\r\nab\r\n", kValues},
        {small, "123456789\r\n", "1234567890\r\n", kValues},
    });
}

}  // namespace
}  // namespace stint::inline v0::resp
