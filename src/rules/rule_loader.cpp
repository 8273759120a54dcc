#include "rules/rule_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "rules/rule_file.hpp"
#include "rules/rule_reader.hpp"
#include "rules/yaml_document.hpp"

namespace stint::inline v0::rules {
namespace {

constexpr std::array<std::string_view, 3> kFileKeys{"version", "ipv6_prefix", "rules"};

/// Where each rule was read, for as long as somebody may ask.
struct Source {
    std::string file;
    YAML::Node node;
    ReadParts parts;
};
using Sources = std::vector<Source>;

std::string place_text(const Problem& problem) {
    return fmt::format("{}:{}:{}", problem.file, problem.line, problem.column);
}

Problem locate_in(const Sources& sources, const Place& place, std::string reason) {
    if (sources.empty()) return Problem{.file = "", .line = 0, .column = 0, .reason = std::move(reason)};
    const Source& source = sources[std::min(place.rule, sources.size() - 1)];
    Problem problem{.file = source.file, .line = 0, .column = 0, .reason = std::move(reason)};
    const YAML::Mark mark = locate(source.node, place);
    if (!mark.is_null()) {
        problem.line = static_cast<std::size_t>(mark.line) + 1;
        problem.column = static_cast<std::size_t>(mark.column) + 1;
    }
    return problem;
}

/// Takes file after file, then gives the rules of all of them.
class Loader {
public:
    explicit Loader(std::stop_token stop) : budget_{.stop = std::move(stop)} {}

    void add_problem(Problem problem) {
        files_.push_back(problem.file);
        problems_.push_back(std::move(problem));
    }

    /// Returns: whether `file` and what follows is not to be read; if that is news, it is noted.
    [[nodiscard]] bool over(const std::string& file) { return budget_.over || stopped(file); }

    void add(const std::string& file, std::string_view text) {
        files_.push_back(file);
        if (auto text_check = check_text(text, file); !text_check) {
            problems_.push_back(std::move(text_check.error()));
            return;
        }
        Notes notes{file, text.size(), problems_};
        const auto root = read_document(text, notes, budget_);
        if (!root) return;
        const Fields fields{*root, "a rule file", kFileKeys, notes};
        read_version(fields, notes);
        read_prefix(fields, notes);
        if (fields.require("rules") == nullptr) return;
        for (const YAML::Node& node : fields.list("rules")) {
            if (stopped(file)) return;
            if (rules_.size() >= kRulesMax) {
                notes.add(node, fmt::format("rules: too many; {} at most", kRulesMax));
                return;
            }
            ReadRule read = read_rule(node, notes);
            rules_.push_back(std::move(read.rule));
            sources_->push_back({.file = file, .node = node, .parts = read.parts});
        }
    }

    LoadedRules finish() {
        if (problems_.size() < kProblemsMax) add_findings();
        if (!problems_.empty()) {
            sort_problems();
            throw ConfigError{std::move(problems_)};
        }
        RuleSet::Options options;
        if (prefix_) options.ipv6_prefix = prefix_->value;
        return LoadedRules{.rules = RuleSet{std::move(rules_), options},
                           .locate = [sources = sources_](const Place& place, std::string reason) {
                               return locate_in(*sources, place, std::move(reason));
                           }};
    }

private:
    struct Prefix {
        int value = 0;
        std::string place;
    };

    bool stopped(const std::string& file) {
        if (!budget_.stop.stop_requested()) return false;
        budget_.over = true;
        add_problem({.file = file, .line = 0, .column = 0, .reason = "reading was stopped"});
        return true;
    }

    /// To find a place takes longer the farther it lies in its rule: beyond
    /// the bound none is looked for.
    void add_findings() {
        for (const Finding& finding : validate(rules_)) {
            const Source& source = (*sources_)[std::min(finding.place.rule, sources_->size() - 1)];
            // What could not be read makes findings that are none.
            if (!source.parts.has(finding.place.part)) continue;
            if (stopped(source.file)) return;
            if (problems_.size() >= kProblemsMax) {
                problems_.push_back(
                    {.file = source.file, .line = 0, .column = 0, .reason = "further problems are not listed"});
                return;
            }
            std::string reason = finding.reason;
            if (finding.other) reason += " " + place_text(locate_in(*sources_, *finding.other, ""));
            problems_.push_back(locate_in(*sources_, finding.place, std::move(reason)));
        }
    }

    static void read_version(const Fields& fields, Notes& notes) {
        const YAML::Node* node = fields.require("version");
        if (node == nullptr) return;
        const auto text = read_text(*node, "version", notes);
        if (text && (*text != "1" || node->Tag() == "!")) {
            notes.add(*node, fmt::format("version: expected 1, got {}", describe(*node)));
        }
    }

    void read_prefix(const Fields& fields, Notes& notes) {
        const auto bits = fields.number("ipv6_prefix", 1, 128);
        if (!bits) return;
        const YAML::Mark mark = fields.find("ipv6_prefix")->Mark();
        const int value = static_cast<int>(*bits);
        if (!prefix_) {
            prefix_ =
                Prefix{.value = value, .place = fmt::format("{}:{}:{}", notes.file(), mark.line + 1, mark.column + 1)};
        } else if (prefix_->value != value) {
            notes.add(mark, fmt::format("ipv6_prefix: {} here, but {} in {}; it holds for all files", value,
                                        prefix_->value, prefix_->place));
        }
    }

    void sort_problems() {
        boost::unordered_flat_map<std::string_view, std::size_t> ranks;
        for (const std::string& file : files_) ranks.emplace(file, ranks.size());
        std::stable_sort(problems_.begin(), problems_.end(), [&](const Problem& left, const Problem& right) {
            return std::tuple{ranks[left.file], left.line, left.column} <
                   std::tuple{ranks[right.file], right.line, right.column};
        });
    }

    ReadBudget budget_;
    std::vector<std::string> files_;
    std::vector<Problem> problems_;
    std::vector<Rule> rules_;
    std::shared_ptr<Sources> sources_ = std::make_shared<Sources>();
    std::optional<Prefix> prefix_;
};

}  // namespace

LoadedRules load_with_places(const std::filesystem::path& file_or_folder, std::stop_token stop) {
    const auto files = list_rule_files(file_or_folder);
    if (!files) throw ConfigError{{files.error()}};
    Loader loader{std::move(stop)};
    for (const std::filesystem::path& file : *files) {
        if (loader.over(file.string())) break;
        auto text = read_rule_file(file);
        if (text) {
            loader.add(file.string(), *text);
        } else {
            loader.add_problem(std::move(text.error()));
        }
    }
    return loader.finish();
}

LoadedRules parse_with_places(std::string_view yaml, const std::string& name) {
    Loader loader{{}};
    loader.add(name, yaml);
    return loader.finish();
}

}  // namespace stint::inline v0::rules

namespace stint::inline v0 {

RuleSet load_rules(const std::filesystem::path& file_or_folder) {
    return rules::load_with_places(file_or_folder).rules;
}

RuleSet parse_rules(std::string_view yaml, const std::string& name) {
    return rules::parse_with_places(yaml, name).rules;
}

}  // namespace stint::inline v0
