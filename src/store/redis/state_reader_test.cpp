// Values written by hand, after what the scripts' head comments say; that the
// scripts write such values is tested by tests/integration/cli/store_test.py.
#include "store/redis/state_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "store/redis/script_args.hpp"

namespace stint::inline v0::store::redis {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

/// Little-endian numbers, each of so many bytes.
struct Field {
    std::uint64_t number;
    std::size_t width;
};
std::string bytes(std::initializer_list<Field> fields) {
    std::string text;
    for (const Field& field : fields) append_number(text, field.number, field.width);
    return text;
}

LimitState read(const Limit& limit, const std::string& body, std::int64_t now) {
    const auto state = read_limit_state(limit, body, now);
    EXPECT_TRUE(state) << state.error();
    return state.value_or(LimitState{});
}

TEST(StateReader, FindsTheBlocks) {
    const std::string value = bytes({{7, 8}, {2, 3}}) + "ab" + bytes({{0xffffffffffffffff, 8}, {0, 3}});
    const auto blocks = read_blocks(value);
    ASSERT_TRUE(blocks) << blocks.error();
    ASSERT_EQ(blocks->size(), 2U);
    EXPECT_EQ((*blocks)[0].id, 7U);
    EXPECT_EQ((*blocks)[0].body, "ab");
    EXPECT_EQ((*blocks)[1].id, 0xffffffffffffffffU);
    EXPECT_EQ((*blocks)[1].body, "");
    EXPECT_TRUE(read_blocks("")->empty());
}

TEST(StateReader, RefusesWhatIsCutOff) {
    const std::string value = bytes({{7, 8}, {2, 3}}) + "ab";
    for (std::size_t size = 1; size < value.size(); ++size) EXPECT_FALSE(read_blocks(value.substr(0, size))) << size;
    EXPECT_FALSE(read_blocks("some other text that somebody put there"));
}

TEST(StateReader, FixedWindow) {
    const Limit limit = Limit::fixed_window(5, 10s);
    const std::string body = bytes({{30'000'000, 7}, {3, 4}});
    EXPECT_EQ(read(limit, body, 25'000'000), (LimitState{3, 30'000'000, {{20'000'000, 30'000'000, 3, 0}}}));
    EXPECT_EQ(read(limit, body, 30'000'000), (LimitState{0, 30'000'000, {}})) << "the end belongs to the next window";
    EXPECT_EQ(read(limit, "", 25'000'000), LimitState{});
}

TEST(StateReader, CalendarWindow) {
    const Limit limit = Limit::make(
        {.algorithm = Algorithm::fixed_window, .limit = 5, .anchor = Anchor::calendar, .unit = CalendarUnit::day});
    const std::string body = bytes({{172'800'000'000, 7}, {2, 4}, {86'400'000'000, 7}});
    EXPECT_EQ(read(limit, body, 100'000'000'000),
              (LimitState{2, 172'800'000'000, {{86'400'000'000, 172'800'000'000, 2, 0}}}));
}

// A window of 10 us in two parts of 5 us each.
TEST(StateReader, SlidingWindow) {
    const Limit limit =
        Limit::make({.algorithm = Algorithm::sliding_window, .limit = 9, .per = Duration{10}, .buckets = 2});
    // as new at 262 * 5, so the newest part is 259; places of 1 byte, totals of 1 byte, 250 before the first pair
    const std::string body =
        bytes({{262 * 5, 7}, {1, 1}, {1, 1}, {250, 1}, {257 % 256, 1}, {252, 1}, {259 % 256, 1}, {1, 1}});
    // Part 257 holds 2 units, part 259 holds 5 (the total went on past 255).
    EXPECT_EQ(read(limit, body, 259 * 5 + 1),
              (LimitState{7, (259 + 3) * 5, {{257 * 5, (257 + 3) * 5, 2, 0}, {259 * 5, (259 + 3) * 5, 5, 0}}}));
    EXPECT_EQ(read(limit, body, 260 * 5).used, 5U);
    EXPECT_EQ(read(limit, body, 0).used, 7U) << "a clock that steps back is taken as the newest part's";
    EXPECT_EQ(read(limit, body, 262 * 5), (LimitState{0, 262 * 5, {}}));
}

TEST(StateReader, WeightedWindow) {
    const Limit limit = Limit::make({.algorithm = Algorithm::sliding_window,
                                     .limit = 100,
                                     .per = Duration{100},
                                     .mode = WindowMode::weighted,
                                     .buckets = 1});
    const std::string body = bytes({{500, 7}, {1, 1}, {1, 1}, {0, 1}, {2, 1}, {10, 1}, {3, 1}, {14, 1}});
    EXPECT_EQ(read(limit, body, 300).used, 14U);
    EXPECT_EQ(read(limit, body, 325).used, 4U + 8U) << "7.5 of the 10, rounded up";
}

TEST(StateReader, SlidingLog) {
    const Limit limit = Limit::make({.algorithm = Algorithm::sliding_log, .limit = 9, .per = Duration{1000}});
    const std::string body =
        bytes({{71'000, 7}, {2, 1}, {1, 1}, {0, 1}, {69'500 % 65'536, 2}, {2, 1}, {70'000 % 65'536, 2}, {3, 1}});
    EXPECT_EQ(read(limit, body, 70'100), (LimitState{3, 71'000, {{69'500, 70'500, 2, 0}, {70'000, 71'000, 1, 0}}}));
    EXPECT_EQ(read(limit, body, 70'500).used, 1U);
    EXPECT_EQ(read(limit, body, 71'000).used, 0U);
}

TEST(StateReader, TokenBucket) {
    const Limit limit = Limit::token_bucket(3, 7s);  // a token is worth 7000000/3 us
    const std::string one = bytes({{2'333'333, 7}, {1, 1}, {1, 1}, {3, 1}});
    EXPECT_EQ(read(limit, one, 0), (LimitState{1, 2'333'334, {}}));
    EXPECT_EQ(read(limit, one, 1'000'000).used, 1U) << "a part of a token is missing";
    EXPECT_EQ(read(limit, one, 2'333'333).used, 1U);
    EXPECT_EQ(read(limit, one, 2'333'334).used, 0U);
    EXPECT_EQ(read(limit, bytes({{7'000'000, 7}, {0, 1}}), 0), (LimitState{3, 7'000'000, {}}));
    EXPECT_EQ(read(limit, bytes({{9'000'000'000, 7}, {0, 1}}), 0).used, 3U) << "never more than the capacity";
    EXPECT_EQ(read(limit, bytes({{10, 7}, {1, 1}, {4, 1}, {5, 1}}), 0).as_new_at, 11) << "another rate rounds up";
}

TEST(StateReader, Concurrency) {
    const Limit limit = Limit::concurrency(5, 10s);
    const std::string body = bytes({{900, 7}, {10'000'000, 7}, {77, 8}, {500, 7}, {2, 3}, {88, 8}, {900, 7}, {1, 3}});
    EXPECT_EQ(read(limit, body, 499), (LimitState{3, 900, {{0, 500, 2, 77}, {0, 900, 1, 88}}}));
    EXPECT_EQ(read(limit, body, 500), (LimitState{1, 900, {{0, 900, 1, 88}}}));
}

TEST(StateReader, PlainCounter) {
    EXPECT_EQ(read_plain_counter("3", 900).value(), (LimitState{3, 900, {{0, 900, 3, 0}}}));
    EXPECT_EQ(read_plain_counter("0", 900).value(), LimitState{});
    EXPECT_EQ(read_plain_counter("", 0).value(), LimitState{});
    for (const char* other : {"x", "3x", "-1", " 3", "99999999999999999999"})
        EXPECT_FALSE(read_plain_counter(other, 0));
}

TEST(StateReader, Ban) {
    const auto state = read_ban_state(bytes({{5'000, 7}, {0, 2}, {1, 1}}));
    ASSERT_TRUE(state);
    EXPECT_EQ(state->end, 5'000);
    EXPECT_TRUE(state->banned);
    EXPECT_EQ(read_ban_state(bytes({{5'000, 7}, {9, 2}, {0, 1}}))->count, 9U);
    EXPECT_FALSE(read_ban_state("")->banned);
    EXPECT_FALSE(read_ban_state("x"));
}

TEST(StateReader, RefusesWhatNoScriptWrites) {
    for (const Limit& limit : {Limit::fixed_window(5, 10s), Limit::sliding_window(5, 10s), Limit::token_bucket(5, 10s),
                               Limit::concurrency(5, 10s)}) {
        EXPECT_FALSE(read_limit_state(limit, "x", 0)) << to_string(limit.algorithm());
        EXPECT_FALSE(read_limit_state(limit, std::string(16, '\xff'), 0)) << to_string(limit.algorithm());
    }
    const Limit log = Limit::make({.algorithm = Algorithm::sliding_log, .limit = 9, .per = Duration{1000}});
    EXPECT_FALSE(read_limit_state(log, bytes({{1005, 7}, {9, 1}, {1, 1}, {0, 1}, {5, 8}, {1, 2}}), 0));
    EXPECT_FALSE(read_limit_state(log, bytes({{1005, 7}, {1, 1}, {1, 1}, {0, 1}, {5, 1}, {1, 1}, {2, 1}}), 0));
}

}  // namespace
}  // namespace stint::inline v0::store::redis
