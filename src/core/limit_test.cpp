#include "stint/limit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stint/error.hpp"

namespace stint::inline v0 {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::HasSubstr;

std::string reason_of(const LimitSpec& spec) {
    try {
        (void)Limit::make(spec);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "valid";
}

TEST(Limit, NamesTheLargestPossibleNumber) {
    EXPECT_THAT(reason_of({.limit = std::uint64_t{1} << 32, .per = seconds{1}}), HasSubstr("4294967295"));
    EXPECT_THAT(reason_of({.algorithm = Algorithm::sliding_log, .limit = 1'000'001, .per = seconds{1}}),
                HasSubstr("1000000"));
    EXPECT_THAT(reason_of({.algorithm = Algorithm::token_bucket, .limit = kBucketMax + 1, .per = seconds{1}}),
                HasSubstr("1125899906842624"));
    // One token a year, 1000 of them: 1000 years to refill. 2^52 us are 142.7 years.
    EXPECT_THAT(reason_of({.algorithm = Algorithm::token_bucket, .limit = 1, .per = hours{24 * 365}, .capacity = 1000}),
                HasSubstr("the largest possible is 142"));
}

TEST(Limit, RefusesPeriodsThatAreNone) {
    EXPECT_THAT(reason_of({.limit = 1}), HasSubstr("per: missing"));
    EXPECT_THAT(reason_of({.limit = 1, .per = seconds{0}}), HasSubstr("per: 0 us is too short"));
    EXPECT_THAT(reason_of({.limit = 1, .per = seconds{-5}}), HasSubstr("too short"));
    EXPECT_THAT(reason_of({.limit = 1, .per = hours{24 * 36526}}), HasSubstr("too long"));
}

TEST(Limit, NamesEverythingThatIsWrongAtOnce) {
    const std::string reason = reason_of({.limit = kLimitMax + 1, .capacity = 3, .lease = seconds{1}});
    EXPECT_THAT(reason, HasSubstr("limit:"));
    EXPECT_THAT(reason, HasSubstr("per: missing"));
    EXPECT_THAT(reason, HasSubstr("capacity: only token_bucket has one"));
    EXPECT_THAT(reason, HasSubstr("lease: only concurrency has one"));
}

TEST(Limit, ZeroIsALimitButNoCapacity) {
    EXPECT_EQ(reason_of({.limit = 0, .per = seconds{1}}), "valid");
    EXPECT_THAT(reason_of({.algorithm = Algorithm::token_bucket, .limit = 1, .per = seconds{1}, .capacity = 0}),
                HasSubstr("capacity: 0 is too small"));
}

TEST(Limit, UnknownTimeZonesAreNamed) {
    EXPECT_THAT(reason_of({.algorithm = Algorithm::fixed_window,
                           .limit = 1,
                           .anchor = Anchor::calendar,
                           .unit = CalendarUnit::day,
                           .timezone = "Europe/Atlantis"}),
                HasSubstr("unknown time zone 'Europe/Atlantis'"));
}

TEST(Limit, KindTellsAllButNumbersApart) {
    const Limit limit = Limit::token_bucket(3, seconds{7}, 10);
    EXPECT_EQ(limit.kind(), Limit::token_bucket(5, seconds{7}).kind());
    EXPECT_NE(limit.kind(), Limit::token_bucket(3, seconds{8}).kind());
    EXPECT_NE(Limit::fixed_window(1, seconds{1}).kind(), Limit::fixed_window(1, seconds{1}, Anchor::clock).kind());
    EXPECT_NE(Limit::sliding_window(1, seconds{60}).kind(),
              Limit::make({.limit = 1, .per = seconds{60}, .buckets = 30}).kind());
}

TEST(Limit, ReducesATokensWorthToLowestTerms) {
    const Limit limit = Limit::token_bucket(6, seconds{60});
    EXPECT_EQ(limit.token_us_num(), 10'000'000U);
    EXPECT_EQ(limit.token_us_den(), 1U);
    EXPECT_EQ(Limit::token_bucket(3, seconds{7}).token_us_den(), 3U);
}

TEST(Limit, WithNumbersKeepsTheKind) {
    const Limit day = Limit::make({.algorithm = Algorithm::fixed_window,
                                   .limit = 5,
                                   .anchor = Anchor::calendar,
                                   .unit = CalendarUnit::day,
                                   .timezone = "Asia/Shanghai"});
    EXPECT_EQ(day.with_numbers(7, std::nullopt).kind(), day.kind());
    EXPECT_EQ(day.with_numbers(7, std::nullopt).limit(), 7U);
}

}  // namespace
}  // namespace stint::inline v0
