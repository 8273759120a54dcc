// RuleSet: rules made in code are validated and compiled.
#include <utility>

#include "rules/compiled_rules.hpp"
#include "rules/validate.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0 {
namespace {

Problem problem_of(const rules::Finding& finding, const std::vector<Rule>& rules) {
    std::string where = "rule " + std::to_string(finding.place.rule + 1);
    if (finding.place.rule < rules.size() && finding.place.part != rules::Part::name) {
        where = "rule '" + rules[finding.place.rule].name + "'";
    }
    if (finding.place.index != rules::Place::kWhole) where += ", entry " + std::to_string(finding.place.index + 1);
    std::string reason = where + ": " + finding.reason;
    if (finding.other) reason += " rule " + std::to_string(finding.other->rule + 1);
    return Problem{.file = "", .line = 0, .column = 0, .reason = std::move(reason)};
}

}  // namespace

const char* to_string(OnStoreFailure policy) noexcept {
    switch (policy) {
        case OnStoreFailure::allow:
            return "allow";
        case OnStoreFailure::deny:
            return "deny";
        case OnStoreFailure::local:
            break;
    }
    return "local";
}

RuleSet::RuleSet() : RuleSet{std::vector<Rule>{}} {}

RuleSet::RuleSet(std::vector<Rule> rules) : RuleSet{std::move(rules), Options{}} {}

RuleSet::RuleSet(std::vector<Rule> rules, Options options) {
    std::vector<Problem> problems;
    if (std::string reason = rules::validate(options); !reason.empty()) {
        problems.push_back(Problem{.file = "", .line = 0, .column = 0, .reason = std::move(reason)});
    }
    for (const rules::Finding& finding : rules::validate(rules)) problems.push_back(problem_of(finding, rules));
    if (!problems.empty()) throw ConfigError{std::move(problems)};
    compiled_ = std::make_shared<const rules::CompiledRules>(std::move(rules), options);
}

const std::vector<Rule>& RuleSet::rules() const noexcept {
    return compiled_->source();
}

const RuleSet::Options& RuleSet::options() const noexcept {
    return compiled_->options();
}

}  // namespace stint::inline v0
