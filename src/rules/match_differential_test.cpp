// Compiled rules against a walk over all rules, on random rule sets and
// requests. Set STINT_SEED to repeat a run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "rules/compiled_rules.hpp"
#include "rules/naive_match.hpp"
#include "support/seed.hpp"

namespace stint::inline v0::rules {
namespace {

using namespace std::chrono_literals;

/// Small alphabets, so that patterns, values and addresses meet often.
class Generator {
public:
    explicit Generator(std::uint64_t seed) : random_{seed} {}

    std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>{0, end - 1}(random_); }
    bool chance(std::size_t one_in) { return below(one_in) == 0; }

    std::string attribute() { return kAttributes[below(kAttributes.size())]; }

    std::string text(bool star) {
        std::string result;
        for (std::size_t length = below(star ? 7 : 9); length > 0; --length) {
            result += star && chance(3) ? '*' : kLetters[below(kLetters.size())];
        }
        // Long parts meet the rounding of lengths.
        if (chance(12)) result += std::string(30 + below(40), 'a');
        if (chance(12)) result.insert(0, std::string(30 + below(300), 'a'));
        return result;
    }

    std::string address() {
        if (chance(8)) return text(false);
        if (chance(2)) {
            return (chance(4) ? "::ffff:10." : "10.") + std::to_string(below(2)) + "." +
                   std::to_string(below(2) * 128) + "." + std::to_string(below(3));
        }
        std::string result =
            "2001:db8:" + std::to_string(below(2)) + ":" + std::to_string(below(3)) + "::" + std::to_string(below(3));
        return chance(4) ? "[" + result + "]:80" : result;
    }

    std::string pattern(const std::string& attribute) {
        if (attribute != "ip") return text(true);
        if (chance(6)) return chance(2) ? "10.*" : "2001:db8:*";
        if (chance(8)) return "aab";
        if (chance(2)) {
            return "10." + std::to_string(below(2)) + "." + std::to_string(below(2) * 128) + "." +
                   std::to_string(below(3)) + (chance(3) ? "" : "/" + std::to_string(below(33)));
        }
        return "2001:db8:" + std::to_string(below(2)) + ":" + std::to_string(below(3)) +
               "::" + std::to_string(below(3)) + (chance(3) ? "" : "/" + std::to_string(below(129)));
    }

    Conditions conditions(std::size_t count_max) {
        Conditions result;
        for (std::size_t count = below(count_max + 1); count > 0; --count) {
            Condition condition{.attribute = attribute(), .patterns = {}};
            bool again = false;
            for (const Condition& other : result) again = again || other.attribute == condition.attribute;
            if (again) continue;
            const std::size_t patterns = chance(10) ? 20 : 1 + below(3);
            for (std::size_t i = 0; i < patterns; ++i) condition.patterns.push_back(pattern(condition.attribute));
            result.push_back(std::move(condition));
        }
        return result;
    }

    Rule rule(std::size_t number) {
        Rule result;
        result.name = "r" + std::to_string(number);
        result.match = conditions(3);
        if (chance(3)) result.unless = conditions(2);
        for (const char* name : kAttributes) {
            if (chance(5)) result.key.emplace_back(name);
        }
        result.limits = {Limit::fixed_window(1, 1min)};
        for (std::size_t count = chance(2) ? 0 : below(12); count > 0; --count) {
            Override other{.match = conditions(2), .limits = {Limit::fixed_window(2 + count, 1min)}};
            if (!other.match.empty()) result.overrides.push_back(std::move(other));
        }
        return result;
    }

    /// The strings that the attributes refer to are kept in `memory`.
    std::vector<Attribute> request(std::vector<std::string>& memory) {
        memory.clear();
        memory.reserve(16);
        std::vector<Attribute> result;
        for (std::size_t count = below(7); count > 0; --count) {
            const char* name = chance(8) ? "unknown" : kAttributes[below(kAttributes.size())];
            memory.push_back(std::string_view{name} == "ip" ? address() : text(false));
            result.push_back({name, memory.back()});
        }
        return result;
    }

private:
    static constexpr std::array<const char*, 6> kAttributes{"ip", "user", "path", "action", "a", "a_b"};
    static constexpr std::string_view kLetters{"ab/"};

    std::mt19937_64 random_;
};

std::string decode_and_join(const CompiledRule& rule, std::string_view key) {
    if (rule.key_attributes.size() < 2) return std::string{key};
    std::string result;
    while (!key.empty()) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < 8; ++i) length |= std::size_t{static_cast<unsigned char>(key[i])} << (8 * i);
        result += std::string{key.substr(8, length)} + "|";
        key.remove_prefix(8 + length);
    }
    return result;
}

void compare(const RuleSet& set, const std::vector<Attribute>& attributes) {
    const CompiledRules& compiled = set.compiled();
    const testing::NaiveRequest naive{attributes, set.options().ipv6_prefix};
    ResolvedRequest request;
    MatchList matches;
    compiled.resolve(attributes, request);
    compiled.match(request, matches);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < set.rules().size(); ++i) {
        if (naive.applies(set.rules()[i])) expected.push_back(i);
    }
    ASSERT_EQ(std::vector<std::uint32_t>(matches.begin(), matches.end()), expected);
    for (const std::uint32_t index : matches) {
        const CompiledRule& rule = compiled.rule(index);
        ASSERT_EQ(compiled.counters(rule, request)[0].limit, naive.limits(*rule.rule)[0]);
        KeyBuffer buffer;
        const std::string key{compiled.encode_key(rule, request, buffer)};
        std::string expected_key;
        for (const std::string& value : naive.key(*rule.rule)) {
            expected_key += value;
            if (rule.rule->key.size() > 1) expected_key += "|";
        }
        ASSERT_EQ(decode_and_join(rule, key), expected_key);
    }
}

TEST(MatchDifferential, CompiledRulesAgreeWithAWalk) {
    const std::uint64_t used = test_seed();
    RecordProperty("seed", std::to_string(used));
    SCOPED_TRACE("STINT_SEED=" + std::to_string(used));
    Generator generator{used};
    std::vector<std::string> memory;
    std::size_t matched = 0;
    for (int round = 0; round < 400; ++round) {
        std::vector<Rule> rules;
        for (std::size_t count = generator.below(60); count > 0; --count) rules.push_back(generator.rule(rules.size()));
        const RuleSet set{std::move(rules),
                          {.ipv6_prefix = round % 2 == 0 ? 64 : 1 + static_cast<int>(generator.below(128))}};
        for (int i = 0; i < 60; ++i) {
            const auto attributes = generator.request(memory);
            compare(set, attributes);
            if (HasFatalFailure()) return;
            ResolvedRequest request;
            MatchList matches;
            set.compiled().resolve(attributes, request);
            set.compiled().match(request, matches);
            matched += matches.size();
        }
    }
    EXPECT_GT(matched, 10'000U) << "the generator no longer makes rules and requests that meet";
}

}  // namespace
}  // namespace stint::inline v0::rules
