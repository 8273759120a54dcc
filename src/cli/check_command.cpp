#include "cli/check_command.hpp"

#include <ostream>

#include "base/log_lines.hpp"
#include "cli/attribute_words.hpp"
#include "cli/decision_text.hpp"
#include "cli/store_choice.hpp"
#include "server/http/decision_json.hpp"
#include "stint/error.hpp"
#include "stint/limiter.hpp"

namespace stint::inline v0::cli {
namespace {

/// One decision needs no more than the least that a store can have.
constexpr std::size_t kStoreBytes = std::size_t{1} << 20;

int decide(const CheckCommand& command, const std::vector<Attribute>& attributes, std::ostream& out,
           std::ostream& err) {
    RuleSet rules = load_rules(command.rules);
    StoreChoice choice{command.store, kStoreBytes};
    choice.be_patient();
    const auto warnings = choice.look(rules, kPatience);
    if (!warnings) {
        err << "stint check: " << warnings.error() << '\n';
        return 2;
    }
    for (const std::string& warning : *warnings) err << "stint check: warning: " << warning << '\n';
    LogLines log;
    Decision decision;
    {
        const auto store = choice.open([&log](const std::string& line) { log.add(line); });
        Limiter limiter{*store, std::move(rules)};
        decision = limiter.check(attributes, {.cost = command.cost, .now = std::nullopt});
        if (command.json) {
            std::string json;
            http::append_json(json, decision);
            out << json << '\n';
        } else {
            out << describe(decision);
        }
    }
    // The store has ended and says nothing more.
    if (decision.source == Source::local || decision.source == Source::failure_policy) {
        for (const std::string& line : log.lines()) err << "stint check: " << line << '\n';
    }
    return decision.allowed ? 0 : 1;
}

}  // namespace

int check(const CheckCommand& command, std::ostream& out, std::ostream& err) {
    const Result<std::vector<Attribute>> attributes = parse_attributes(command.attributes);
    if (!attributes) {
        err << "stint check: " << attributes.error() << '\n';
        return 2;
    }
    try {
        return decide(command, *attributes, out, err);
    } catch (const ConfigError& error) {
        err << error.what() << '\n';
        return 2;
    }
}

}  // namespace stint::inline v0::cli
