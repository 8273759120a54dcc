// All rules of a program in one header, checked when it is compiled:
//
//     inline constexpr stint::RuleTable kRules{{
//         {.name = "submit", .key = {"team"}, .limits = {stint::per_minute(3)}},
//         {.name = "invite",
//          .key = {"user"},
//          .limits = {stint::per_minute(25), stint::per_day(200)},
//          .ban = stint::Ban{.denials = 50, .within = 10min, .duration = 24h, .silent = true}},
//     }};
//
// A rule that cannot be is a compile error that says why (quota.hpp). Numbers
// change without compiling by a rule of the same name in the rule file: see
// Limiter::declare(). Threads: values.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "stint/quota.hpp"
#include "stint/rule.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

namespace compile_error {
void a_list_of_a_rule_has_8_entries_at_most();
void the_name_of_a_rule_is_1_to_64_of_letters_digits_underscore_dot_and_hyphen();
void two_rules_have_the_same_name();
void a_rule_needs_a_limit();
void two_limits_of_a_rule_are_of_one_kind_and_would_share_a_counter();
void an_attribute_has_a_name_of_1_to_256_bytes();
void an_attribute_is_named_twice_in_a_key();
void a_cost_is_at_least_1();
void a_ban_needs_1_to_32767_denials();
void the_times_of_a_ban_are_above_zero_and_at_most_100_years();
void there_is_no_rule_of_this_name_in_the_table();
}  // namespace compile_error

/// A short list in a constant.
template <typename T>
class ConstList {
public:
    static constexpr std::size_t kMost = 8;

    constexpr ConstList() = default;
    consteval ConstList(std::initializer_list<T> items) {
        if (items.size() > kMost) compile_error::a_list_of_a_rule_has_8_entries_at_most();
        for (const T& item : items) items_[size_++] = item;
    }
    [[nodiscard]] constexpr const T* begin() const noexcept { return items_.data(); }
    [[nodiscard]] constexpr const T* end() const noexcept { return items_.data() + size_; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }

private:
    std::array<T, kMost> items_{};
    std::size_t size_ = 0;
};
static_assert(ConstList<Quota>::kMost == kLimitsPerRuleMax && ConstList<Quota>::kMost == kKeyAttributesMax);

/// A Rule as a constant. It matches the requests whose attribute `action` is its name.
struct RuleEntry {
    std::string_view name{};
    ConstList<std::string_view> key{};  ///< attributes that calls are counted by; none: one counter for all
    ConstList<Quota> limits{};
    std::optional<Ban> ban{};
    std::uint64_t cost = 1;  ///< multiplies a call's cost
    bool shadow = false;     ///< decided and reported, never denies
    OnStoreFailure on_store_failure = OnStoreFailure::local;

    consteval void check() const {
        if (!is_rule_name(name))
            compile_error::the_name_of_a_rule_is_1_to_64_of_letters_digits_underscore_dot_and_hyphen();
        for (const std::string_view& attribute : key) {
            if (attribute.empty() || attribute.size() > kAttributeBytesMax)
                compile_error::an_attribute_has_a_name_of_1_to_256_bytes();
            for (const std::string_view* other = key.begin(); other != &attribute; ++other) {
                if (*other == attribute) compile_error::an_attribute_is_named_twice_in_a_key();
            }
        }
        if (limits.size() == 0) compile_error::a_rule_needs_a_limit();
        for (const Quota& quota : limits) {
            quota.check();
            for (const Quota* other = limits.begin(); other != &quota; ++other) {
                if (other->same_kind(quota))
                    compile_error::two_limits_of_a_rule_are_of_one_kind_and_would_share_a_counter();
            }
        }
        if (cost < 1 || cost > kCostMax) compile_error::a_cost_is_at_least_1();
        if (ban) check(*ban);
    }

    /// Returns: the rule. Errors: as Quota::to_limit().
    [[nodiscard]] Rule to_rule() const;

private:
    static consteval void check(const Ban& ban) {
        if (ban.denials < 1 || ban.denials > kBanDenialsMax) compile_error::a_ban_needs_1_to_32767_denials();
        for (const Duration time : {ban.within, ban.duration}) {
            if (time <= Duration{0} || time > kPeriodMax) {
                compile_error::the_times_of_a_ban_are_above_zero_and_at_most_100_years();
            }
        }
    }
};

template <std::size_t kSize>
class RuleTable {
public:
    consteval explicit RuleTable(const RuleEntry (&entries)[kSize]) {
        for (std::size_t i = 0; i < kSize; ++i) {
            entries[i].check();
            for (std::size_t j = 0; j < i; ++j) {
                if (entries[j].name == entries[i].name) compile_error::two_rules_have_the_same_name();
            }
            entries_[i] = entries[i];
        }
    }

    [[nodiscard]] constexpr const RuleEntry* begin() const noexcept { return entries_.data(); }
    [[nodiscard]] constexpr const RuleEntry* end() const noexcept { return entries_.data() + kSize; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return kSize; }

    /// Returns: the rule of this name; that there is none is a compile error.
    [[nodiscard]] consteval const RuleEntry& operator[](std::string_view name) const {
        for (const RuleEntry& entry : entries_) {
            if (entry.name == name) return entry;
        }
        compile_error::there_is_no_rule_of_this_name_in_the_table();
        return entries_[0];
    }

    /// Returns: all as rules, for Limiter::declare() or a RuleSet. Errors: as Quota::to_limit().
    [[nodiscard]] std::vector<Rule> rules() const {
        std::vector<Rule> made;
        for (const RuleEntry& entry : entries_) made.push_back(entry.to_rule());
        return made;
    }

private:
    std::array<RuleEntry, kSize> entries_{};
};

}  // namespace stint::inline v0
#pragma GCC visibility pop
