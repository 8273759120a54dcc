#include "stint/stint.hpp"

inline constexpr stint::RuleTable kRules{{
    {.name = "submit", .key = {"team"}, .limits = {stint::per_minute(3)}},
}};
struct Team {
    int id;
};
void submit(const Team& team);
const auto by_id = [](const Team& team) { return team.id; };

// case: compiles
void use(stint::Limiter& limiter, const Team& team) {
    auto a = stint::rate_limited<"submit", 3, 60>(limiter, &submit, by_id);
    a(team);
    auto b = stint::rate_limited<kRules, "submit">(limiter, &submit, by_id);
    b(team);
    STINT_RATE_LIMIT(limiter, team.id, "submit", 3, 60);
    STINT_RATE_LIMIT(limiter, team.id, kRules, "submit");
}

// case: the window of a rate limit has at least one second
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<"submit", 3, 0>(limiter, &submit, by_id);
}

// case: the window of a rate limit has at least one second
void use(stint::Limiter& limiter) {
    STINT_RATE_LIMIT(limiter, 1, "submit", 3, 0);
}

// case: the window of a rate limit is at most 36525 days
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<"submit", 3, 3'155'760'001>(limiter, &submit, by_id);
}

// case: a rate limit is at most 4294967295
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<"submit", 4'294'967'296, 60>(limiter, &submit, by_id);
}

// case: an action is 1 to 64 of A-Z a-z 0-9 _ . -
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<"two words", 3, 60>(limiter, &submit, by_id);
}

// case: an action is 1 to 64 of A-Z a-z 0-9 _ . -
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<"">(limiter, stint::per_minute(3), &submit, by_id);
}

// case: the_period_is_zero_or_negative
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<"submit">(limiter, stint::quota(3, std::chrono::seconds{0}), &submit, by_id);
}

// case: there_is_no_rule_of_this_name_in_the_table
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<kRules, "submti">(limiter, &submit, by_id);
}

// case: the key has other parts than the rule in the table
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<kRules, "submit">(limiter, &submit);
}

// case: the key has other parts than the rule in the table
void use(stint::Limiter& limiter) {
    STINT_RATE_LIMIT(limiter, std::tuple(1, 2), kRules, "submit");
}

// case: a key is text, a whole number or an enumeration, or a std::tuple of these
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<"submit", 3, 60>(limiter, &submit, [](const Team& team) { return team; });
}

// case: a key is text, a whole number or an enumeration, or a std::tuple of these
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<"submit", 3, 60>(limiter, &submit, [] { return 1.5; });
}

// case: one has parameters of known types
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<"submit", 3, 60>(
        limiter, [](const auto& team) { submit(team); }, [](const auto& team) { return team.id; });
}

// case: what says whom a call counts for takes the call's arguments, or none
void use(stint::Limiter& limiter, const Team& team) {
    auto bad = stint::rate_limited<"submit", 3, 60>(limiter, &submit, [](const Team&, int other) { return other; });
    bad(team);
}

// case: attributes are a std::array, std::vector or std::span of stint::Attribute
void use(stint::Limiter& limiter, const Team& team) {
    auto bad = stint::rate_limited(limiter, &submit, by_id);
    bad(team);
}

// case: a key has 8 parts at most
void use(stint::Limiter& limiter) {
    auto bad =
        stint::rate_limited<"submit", 3, 60>(limiter, &submit, [] { return std::tuple(1, 2, 3, 4, 5, 6, 7, 8, 9); });
}

// case: include stint/asio.hpp to wrap functions that return an awaitable
struct Later {
    using value_type = int;
    using executor_type = int;
};
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<"submit", 3, 60>(limiter, [] { return Later{}; });
    bad();
}

// case: the_limit_is_larger_than_this_algorithm_can_count
void use(stint::Limiter& limiter) {
    auto bad = stint::rate_limited<"submit">(limiter, stint::per_minute(4'294'967'296), &submit, by_id);
}
