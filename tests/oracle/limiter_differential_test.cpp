// The whole way of a check, attributes to decision, against the reference
// model: which rules apply, overrides, shadows, bans laid over the limits'
// answers, and which limit is reported. STINT_SEED chooses another seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "oracle/model.hpp"
#include "oracle/scenario.hpp"
#include "oracle/traffic.hpp"
#include "stint/limiter.hpp"
#include "stint/memory_store.hpp"

namespace stint::inline v0::oracle {
namespace {

struct RuleModel {
    std::string name;
    std::vector<LimitSpec> numbers;
    std::vector<LimitSpec> pro_numbers;  ///< the override's
    std::optional<Ban> ban;
    std::uint64_t cost = 1;
    bool shadow = false;
};

std::vector<Limit> limits_of(const std::vector<LimitSpec>& specs) {
    std::vector<Limit> limits;
    for (const LimitSpec& spec : specs) limits.push_back(Limit::make(spec));
    return limits;
}

/// A rule applies if the request has the attribute of its name, and counts by user.
Rule rule_of(const RuleModel& model) {
    Rule rule;
    rule.name = model.name;
    rule.match = {{model.name, {"*"}}};
    rule.key = {"user"};
    rule.limits = limits_of(model.numbers);
    rule.overrides = {{{{"plan", {"pro"}}}, limits_of(model.pro_numbers)}};
    rule.ban = model.ban;
    rule.cost = model.cost;
    rule.shadow = model.shadow;
    return rule;
}

std::vector<RuleModel> random_rules(Random& random) {
    static constexpr Algorithm kAlgorithms[] = {Algorithm::fixed_window, Algorithm::sliding_window,
                                                Algorithm::sliding_log, Algorithm::token_bucket,
                                                Algorithm::concurrency};
    std::vector<RuleModel> rules(1 + random.below(4));
    for (std::size_t i = 0; i < rules.size(); ++i) {
        rules[i].name = fmt::format("rule{}", i);
        const std::size_t first = random.below(5);
        for (std::size_t limit = 0; limit < 1 + random.below(3); ++limit) {  // each of another algorithm
            rules[i].numbers.push_back(random_limit(random, kAlgorithms[(first + limit) % 5]));
            rules[i].pro_numbers.push_back(with_other_numbers(random, rules[i].numbers.back()));
        }
        if (random.chance(40)) {
            rules[i].ban = Ban{1 + random.below(4), Duration{random.pick<std::int64_t>({10, 1'000'000, 60'000'000})},
                               Duration{random.pick<std::int64_t>({7, 1'000'000, 3'600'000'000})}, random.chance(50)};
        }
        rules[i].cost = random.chance(20) ? 3 : 1;
        rules[i].shadow = random.chance(25);
    }
    return rules;
}

struct Expected {
    bool allowed = true;
    bool silent = false;
    std::string rule;  ///< the deciding one
    Reply reported;
    std::vector<Reply> limits;
    std::vector<std::string> denied_by;
};

/// One limit's answer as it is reported, with the ban laid over it.
struct Line {
    std::string rule;
    bool shadow = false;
    Reply reply;
};

void report(const std::vector<Line>& lines, Expected& expected) {
    const bool only_shadows = std::all_of(lines.begin(), lines.end(), [](const Line& line) { return line.shadow; });
    const Line* deciding = nullptr;
    std::int64_t longest = 0;
    for (const Line& line : lines) {
        expected.limits.push_back(line.reply);
        if (line.shadow && !only_shadows) continue;
        if (!line.shadow) longest = std::max(longest, line.reply.retry_after_us);
        if (!line.shadow && !line.reply.allowed &&
            (expected.denied_by.empty() || expected.denied_by.back() != line.rule)) {
            expected.denied_by.push_back(line.rule);
        }
        if (!expected.allowed && line.reply.allowed) continue;
        if (deciding == nullptr || (expected.allowed ? line.reply.remaining < deciding->reply.remaining
                                                     : line.reply.retry_after_us > deciding->reply.retry_after_us)) {
            deciding = &line;
        }
    }
    if (deciding == nullptr) return;
    expected.rule = deciding->rule;
    expected.reported = deciding->reply;
    expected.reported.allowed = expected.allowed;
    expected.reported.retry_after_us = expected.allowed ? 0 : longest;
}

Expected expect(Model& model, const std::vector<RuleModel>& rules, const std::vector<bool>& applies,
                const std::string& user, bool pro, std::uint64_t cost, std::int64_t t_us, std::uint64_t lease_id) {
    std::vector<Question> enforced;
    std::vector<Question> shadows;
    std::map<std::string, RuleReply> replies;
    Expected expected;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (!applies[i]) continue;
        const Question question{rules[i].name, user, pro ? rules[i].pro_numbers : rules[i].numbers, rules[i].ban,
                                cost * rules[i].cost};
        if (rules[i].shadow) {
            replies[rules[i].name] = model.check({question}, t_us, false, lease_id).rules[0];
            shadows.push_back(question);
        } else {
            enforced.push_back(question);
        }
    }
    if (!enforced.empty()) {
        Verdict verdict = model.check(enforced, t_us, false, lease_id);
        expected.allowed = verdict.allowed;
        for (std::size_t i = 0; i < enforced.size(); ++i) replies[enforced[i].rule] = verdict.rules[i];
    }
    if (!expected.allowed) {  // a denied request holds no lease of a shadow either
        for (const Question& shadow : shadows) (void)model.release(shadow, lease_id, t_us);
    }
    std::vector<Line> lines;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (!applies[i]) continue;
        const RuleReply& rule = replies[rules[i].name];
        if (rule.banned && rules[i].ban->silent && !rules[i].shadow) expected.silent = true;
        for (Reply reply : rule.limits) {
            if (rule.banned) reply.allowed = false;
            if (rule.banned_for_us > 0) {
                reply.remaining = 0;
                reply.reset_after_us = std::max(reply.reset_after_us, rule.banned_for_us);
                if (!reply.allowed) reply.retry_after_us = std::max(reply.retry_after_us, rule.banned_for_us);
            }
            lines.push_back({rules[i].name, rules[i].shadow, reply});
        }
    }
    report(lines, expected);
    return expected;
}

Reply reply_of(const LimitDecision& entry) {
    return {entry.allowed, entry.remaining, entry.retry_after.count(), entry.reset_after.count()};
}

std::string text_of(const Reply& reply) {
    return fmt::format("{} remaining {} retry {} reset {}", reply.allowed ? "allows" : "denies", reply.remaining,
                       reply.retry_after_us, reply.reset_after_us);
}

void expect_same(const Decision& got, const Expected& expected) {
    EXPECT_EQ(got.allowed, expected.allowed);
    EXPECT_EQ(got.silent, expected.silent);
    EXPECT_EQ(got.rule, expected.rule);
    const Reply reported{got.allowed, got.remaining, got.retry_after.count(), got.reset_after.count()};
    EXPECT_EQ(text_of(reported), text_of(expected.reported));
    ASSERT_EQ(got.limits.size(), expected.limits.size());
    for (std::size_t i = 0; i < got.limits.size(); ++i) {
        EXPECT_EQ(text_of(reply_of(got.limits[i])), text_of(expected.limits[i])) << "limit " << i;
    }
    const auto denied_by = got.denied_by();
    EXPECT_EQ(std::vector<std::string>(denied_by.begin(), denied_by.end()), expected.denied_by);
}

TEST(LimiterDifferential, DecidesAsTheModel) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    constexpr std::uint64_t kScenarios = 100;
#else
    constexpr std::uint64_t kScenarios = 2'000;
#endif
    const std::uint64_t seed = seed_or(9);
    Random random{seed};
    for (std::uint64_t number = 0; number < kScenarios; ++number) {
        const std::vector<RuleModel> rules = random_rules(random);
        std::vector<Rule> made;
        for (const RuleModel& rule : rules) made.push_back(rule_of(rule));
        MemoryStoreOptions options;  // a large table: see make_store() of differential_test.cpp
        options.huge_pages = false;
        MemoryStore store{options};
        Limiter limiter{store, RuleSet{std::move(made)}};
        Model model;
        Timeline times{random, rules[0].numbers[0], true};
        std::string story = fmt::format("STINT_SEED={} scenario {}\n", seed, number);
        for (const RuleModel& rule : rules) {
            story += rule.name + (rule.shadow ? " shadow" : "") + (rule.ban ? " ban" : "") + ":";
            for (const LimitSpec& spec : rule.numbers) story += " {" + to_text(spec) + "}";
            story += "\n";
        }
        for (int event = 0; event < 40 && !testing::Test::HasFailure(); ++event) {
            const std::int64_t t_us = times.next();
            const std::string user = random.chance(80) ? "ann" : "ben";
            const bool pro = random.chance(30);
            const std::uint64_t cost = std::min<std::uint64_t>(random_cost(random, rules[0].numbers[0]), 1'000'000);
            std::vector<bool> applies;
            std::vector<Attribute> attributes{{"user", user}, {"plan", pro ? "pro" : "free"}};
            for (const RuleModel& rule : rules) {
                applies.push_back(random.chance(80));
                if (applies.back()) attributes.push_back({rule.name, "yes"});
            }
            story += fmt::format("t {} user {} {} cost {} rules {}\n", t_us, user, pro ? "pro" : "free", cost,
                                 fmt::join(applies, ""));
            SCOPED_TRACE(story);
            const Expected expected =
                expect(model, rules, applies, user, pro, cost, t_us, static_cast<std::uint64_t>(event) + 1);
            expect_same(limiter.check(attributes, {.cost = cost, .now = Instant{Duration{t_us}}}), expected);
        }
        ASSERT_FALSE(testing::Test::HasFailure());
    }
}

}  // namespace
}  // namespace stint::inline v0::oracle
