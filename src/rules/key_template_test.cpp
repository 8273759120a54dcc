#include "rules/key_template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rule_problems.hpp"

namespace stint::inline v0::rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Rule rule(std::string redis_key) {
    Rule rule;
    rule.match = {{"action", {"submit"}}, {"plan", {"free", "trial"}}, {"path", {"/a/*"}}};
    rule.key = {"team", "user"};
    rule.redis_key = std::move(redis_key);
    return rule;
}

std::string render(const std::string& redis_key) {
    const auto made = KeyTemplate::compile(rule(redis_key));
    EXPECT_TRUE(made) << made.error();
    const std::array<std::string_view, 2> values{"42", "ann"};
    return made ? made->render(values) : "";
}

TEST(KeyTemplate, PutsValuesInTheirPlaces) {
    EXPECT_EQ(render("rate:{action}:{team}:{user}"), "rate:submit:42:ann");
    EXPECT_EQ(render("{action}{user}{team}"), "submitann42");
    EXPECT_EQ(render("/{team}/{team}/{user}!"), "/42/42/ann!");
    EXPECT_EQ(render("{{{team}}}{user}"), "{42}ann") << "a hash tag";
    Rule all;
    all.redis_key = "total";
    EXPECT_EQ(KeyTemplate::compile(all)->render({}), "total");
}

TEST(KeyTemplate, SaysWhatCannotBe) {
    const auto problem = [](const std::string& redis_key) {
        const auto made = KeyTemplate::compile(rule(redis_key));
        return made ? "" : made.error();
    };
    EXPECT_THAT(problem("{team}{user}"), HasSubstr("must begin with text"));
    EXPECT_THAT(problem("rate:{team}"), HasSubstr("'{user}' of the rule's key is missing"));
    EXPECT_THAT(problem("{team}{user}{plan}"), HasSubstr("'{plan}' is neither in the rule's key"));
    EXPECT_THAT(problem("{team}{user}{path}"), HasSubstr("'{path}' is neither")) << "a glob has many values";
    EXPECT_THAT(problem("{team}{user}{other}"), HasSubstr("'{other}' is neither"));
    EXPECT_THAT(problem("{team}{user"), HasSubstr("'{' without '}'"));
    EXPECT_THAT(problem("{team}{user}}"), HasSubstr("'}' without '{'"));
    EXPECT_THAT(problem("{team}{user}" + std::string(250, 'x')), HasSubstr("256 bytes at most"));
}

TEST(KeyTemplate, RuleFilesSayWhereItIsWrong) {
    const auto problems = [](const std::string& text) {
        return rule_problems("version: 1\nrules:\n  - name: a\n    key: [team]\n" + text);
    };
    const std::string window = "    limits: [{algorithm: fixed_window, limit: 3, per: 1m}]\n";
    EXPECT_THAT(problems(window + "    layout: counter\n    redis_key: \"r:{team}\"\n"), ElementsAre());
    EXPECT_THAT(problems(window + "    layout: counter\n"),
                ElementsAre(HasSubstr("f.yaml:6:13: layout: counter needs redis_key")));
    EXPECT_THAT(problems(window + "    redis_key: \"r:{team}\"\n"),
                ElementsAre(HasSubstr("f.yaml:6:16: redis_key: only with layout: counter")));
    EXPECT_THAT(problems(window + "    layout: hash\n    redis_key: \"r:{team}\"\n"),
                ElementsAre(HasSubstr("f.yaml:6:13: layout")));
    EXPECT_THAT(problems(window + "    layout: counter\n    redis_key: \"r\"\n"),
                ElementsAre(HasSubstr("f.yaml:7:16: redis_key: '{team}' of the rule's key is missing")));
    for (const char* limits : {"{limit: 3, per: 1m}", "{algorithm: fixed_window, limit: 3, per: 1m, anchor: clock}",
                               "{algorithm: fixed_window, limit: 3, per: 1m}, {limit: 3, per: 1m}"}) {
        EXPECT_THAT(
            problems(std::string{"    limits: ["} + limits + "]\n    layout: counter\n    redis_key: \"r:{team}\"\n"),
            ElementsAre(HasSubstr("f.yaml:7:16: redis_key: a plain counter is one fixed_window")))
            << limits;
    }
    EXPECT_THAT(problems(window + "    layout: counter\n    redis_key: \"r:{team}\"\n"
                                  "    ban: {denials: 5, within: 1m, for: 1h}\n"),
                ElementsAre(HasSubstr("f.yaml:7:16: redis_key: a plain counter has no ban")));
    EXPECT_THAT(problems(window + "    layout: counter\n    redis_key: \"r:{team}\"\n    shadow: true\n"),
                ElementsAre(HasSubstr("f.yaml:7:16: redis_key: a shadow would count")));
    const std::string again =
        "  - {name: b, key: [team], match: {x: r}, layout: counter, redis_key: \"{x}:{team}\",\n"
        "     limits: [{algorithm: fixed_window, limit: 5, per: 1h}]}\n";
    EXPECT_THAT(problems(window + "    layout: counter\n    redis_key: \"r:{team}\"\n" + again),
                ElementsAre(HasSubstr("f.yaml:8:71: redis_key: two rules name one counter; the first is f.yaml:7:16")));
}

}  // namespace
}  // namespace stint::inline v0::rules
