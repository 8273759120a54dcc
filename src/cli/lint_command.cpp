#include "cli/lint_command.hpp"

#include <algorithm>
#include <ostream>

#include "base/counted.hpp"
#include "rules/lint.hpp"
#include "rules/rule_loader.hpp"
#include "stint/error.hpp"

namespace stint::inline v0::cli {
namespace {

constexpr int kValid = 0;
constexpr int kWarned = 1;
constexpr int kInvalid = 2;

std::string line(Problem problem, const char* severity) {
    problem.reason = severity + (": " + problem.reason);
    return problem.to_string();
}

int lint_one(const std::string& file, std::ostream& out, std::ostream& err) {
    try {
        const rules::LoadedRules loaded = rules::load_with_places(file);
        const auto findings = rules::lint(loaded.rules);
        for (const rules::Finding& finding : findings) {
            Problem problem = loaded.locate(finding.place, finding.reason);
            if (problem.file.empty()) problem.file = file;
            out << line(std::move(problem), "warning") << '\n';
        }
        out << file << ": " << counted(loaded.rules.rules().size(), "rule") << ", "
            << counted(findings.size(), "warning") << '\n';
        return findings.empty() ? kValid : kWarned;
    } catch (const ConfigError& error) {
        for (const Problem& problem : error.problems()) err << line(problem, "error") << '\n';
        return kInvalid;
    }
}

}  // namespace

int lint(const LintOptions& options, std::ostream& out, std::ostream& err) {
    int worst = kValid;
    for (const std::string& file : options.files) worst = std::max(worst, lint_one(file, out, err));
    return worst == kWarned && !options.strict ? kValid : worst;
}

}  // namespace stint::inline v0::cli
