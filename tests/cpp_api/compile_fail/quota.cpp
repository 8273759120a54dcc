#include "stint/quota.hpp"

using namespace std::chrono_literals;

// case: compiles
constexpr auto a = stint::per_minute(3);
constexpr auto b = stint::quota(3, 7s).sliding_log();
constexpr auto c = stint::per_second(100).token_bucket(200).count_denied();
constexpr auto d = stint::per_calendar(200, stint::CalendarUnit::day, "Europe/Berlin");
constexpr auto e = stint::concurrency(10, 30s);
constexpr auto f = stint::per_hour(0);
constexpr stint::ValidQuota h = stint::quota(1, 1us).sliding_window(stint::WindowMode::strict, 1);
constexpr stint::ValidQuota i = stint::per_second(5'000'000'000).token_bucket();
constexpr auto g = stint::per_minute(3).sliding_window(stint::WindowMode::weighted, 1);

// case: the_period_is_zero_or_negative
constexpr stint::ValidQuota bad = stint::quota(3, 0s);

// case: the_period_is_zero_or_negative
constexpr stint::ValidQuota bad = stint::concurrency(3, -1s);

// case: the_period_is_longer_than_100_years
constexpr stint::ValidQuota bad = stint::quota(3, std::chrono::hours{24 * 36526});

// case: the_limit_is_larger_than_this_algorithm_can_count
constexpr stint::ValidQuota bad = stint::per_minute(4'294'967'296);

// case: the_limit_is_larger_than_this_algorithm_can_count
constexpr stint::ValidQuota bad = stint::per_minute(1'000'001).sliding_log();

// case: the_capacity_of_a_token_bucket_is_zero
constexpr stint::ValidQuota bad = stint::per_second(100).token_bucket(0);

// case: the_capacity_of_a_token_bucket_is_larger_than_2_to_the_50
constexpr stint::ValidQuota bad = stint::per_second(100).token_bucket(1ULL << 51);

// case: the_token_bucket_would_take_more_than_142_years_to_refill
constexpr stint::ValidQuota bad = stint::per_second(1).token_bucket(4'503'599'628);

// case: a_sliding_window_has_1_to_1440_parts_of_at_least_a_microsecond
constexpr stint::ValidQuota bad = stint::per_minute(3).sliding_window(stint::WindowMode::strict, 0);

// case: a_sliding_window_has_1_to_1440_parts_of_at_least_a_microsecond
constexpr stint::ValidQuota bad = stint::per_minute(3).sliding_window(stint::WindowMode::strict, 1'441);

// case: a_sliding_window_has_1_to_1440_parts_of_at_least_a_microsecond
constexpr stint::ValidQuota bad = stint::quota(3, 59us);

// case: a_calendar_window_has_no_other_algorithm
constexpr stint::ValidQuota bad = stint::per_calendar(3, stint::CalendarUnit::day).sliding_log();

// case: concurrency_has_no_other_algorithm
constexpr stint::ValidQuota bad = stint::concurrency(3, 30s).token_bucket(5);

// case: a_denial_holds_no_lease_so_concurrency_cannot_count_it
constexpr stint::ValidQuota bad = stint::concurrency(3, 30s).count_denied();

// case: the_period_is_zero_or_negative
// Also where no constant is asked for.
auto bad() {
    return stint::quota(3, 0s);
}
