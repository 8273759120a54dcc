// Rule files: any text either becomes rules or a ConfigError that names its
// problems; nothing else is thrown, and what became rules can be asked, linted
// and compiled again.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "rules/compiled_rules.hpp"
#include "rules/lint.hpp"
#include "stint/rule.hpp"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void ask(const stint::RuleSet& set, std::string_view text) {
    const stint::rules::CompiledRules& compiled = set.compiled();
    stint::rules::ResolvedRequest request;
    stint::rules::MatchList matches;
    // The rules' own words as values: then something matches.
    for (const stint::Rule& rule : set.rules()) {
        std::vector<stint::Attribute> attributes;
        for (const stint::Condition& condition : rule.match) {
            if (!condition.patterns.empty()) attributes.push_back({condition.attribute, condition.patterns[0]});
        }
        for (const std::string& attribute : rule.key) attributes.push_back({attribute, text});
        compiled.resolve(attributes, request);
        compiled.match(request, matches);
        for (const std::uint32_t index : matches) {
            stint::rules::KeyBuffer buffer;
            const auto& matched = compiled.rule(index);
            require(compiled.counters(matched, request).size() == matched.rule->limits.size());
            static_cast<void>(compiled.encode_key(matched, request, buffer));
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    try {
        const stint::RuleSet set = stint::parse_rules(text, "fuzz.yaml");
        ask(set, text);
        static_cast<void>(stint::rules::lint(set));
        const stint::RuleSet again{set.rules(), set.options()};
        require(again.rules().size() == set.rules().size());
    } catch (const stint::ConfigError& error) {
        require(!error.problems().empty());
        for (const stint::Problem& problem : error.problems()) {
            require(problem.file == "fuzz.yaml" && !problem.reason.empty());
        }
    }
    return 0;
}
