#include "stint/rule_table.hpp"

using namespace std::chrono_literals;
using stint::per_minute;

// case: compiles
inline constexpr stint::RuleTable kRules{{
    {.name = "submit", .key = {"team"}, .limits = {per_minute(3)}},
    {.name = "invite",
     .key = {"user", "document"},
     .limits = {per_minute(25), stint::per_day(200)},
     .ban = stint::Ban{.denials = 50, .within = 10min, .duration = 24h, .silent = true},
     .cost = 2,
     .shadow = true},
}};
static_assert(kRules["invite"].cost == 2);

// case: two_rules_have_the_same_name
constexpr stint::RuleTable kBad{{
    {.name = "submit", .limits = {per_minute(3)}},
    {.name = "invite", .limits = {per_minute(3)}},
    {.name = "submit", .limits = {per_minute(4)}},
}};

// case: the_name_of_a_rule_is_1_to_64_of_letters_digits_underscore_dot_and_hyphen
constexpr stint::RuleTable kBad{{{.name = "two words", .limits = {per_minute(3)}}}};

// case: the_name_of_a_rule_is_1_to_64_of_letters_digits_underscore_dot_and_hyphen
constexpr stint::RuleTable kBad{{{.limits = {per_minute(3)}}}};

// case: a_rule_needs_a_limit
constexpr stint::RuleTable kBad{{{.name = "submit"}}};

// case: the_period_is_zero_or_negative
constexpr stint::RuleTable kBad{{{.name = "submit", .limits = {stint::Quota{}}}}};

// case: two_limits_of_a_rule_are_of_one_kind_and_would_share_a_counter
constexpr stint::RuleTable kBad{{{.name = "submit", .limits = {per_minute(3), stint::quota(4, 60s)}}}};

// case: an_attribute_has_a_name_of_1_to_256_bytes
constexpr stint::RuleTable kBad{{{.name = "submit", .key = {""}, .limits = {per_minute(3)}}}};

// case: an_attribute_is_named_twice_in_a_key
constexpr stint::RuleTable kBad{{{.name = "submit", .key = {"a", "b", "a"}, .limits = {per_minute(3)}}}};

// case: a_list_of_a_rule_has_8_entries_at_most
constexpr stint::RuleTable kBad{{
    {.name = "submit", .key = {"1", "2", "3", "4", "5", "6", "7", "8", "9"}, .limits = {per_minute(3)}},
}};

// case: a_cost_is_at_least_1
constexpr stint::RuleTable kBad{{{.name = "submit", .limits = {per_minute(3)}, .cost = 0}}};

// case: a_ban_needs_1_to_32767_denials
constexpr stint::RuleTable kBad{{
    {.name = "submit", .limits = {per_minute(3)}, .ban = stint::Ban{.within = 1min, .duration = 1h}},
}};

// case: the_times_of_a_ban_are_above_zero_and_at_most_100_years
constexpr stint::RuleTable kBad{{
    {.name = "submit", .limits = {per_minute(3)}, .ban = stint::Ban{.denials = 5, .within = 1min}},
}};

// case: there_is_no_rule_of_this_name_in_the_table
constexpr stint::RuleTable kFine{{{.name = "submit", .limits = {per_minute(3)}}}};
constexpr auto kBad = kFine["submti"];
