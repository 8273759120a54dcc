// Which of many sets of conditions a request fits: the rules' `match`, and the
// `match` of one rule's overrides. Each set is found by one of its conditions,
// the one that the fewest sets share, and then looked at whole.
// Threads: immutable after build().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rules/attribute_table.hpp"
#include "rules/pattern_index.hpp"
#include "rules/resolved_request.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::rules {

/// Conditions that must all hold, ready to be asked.
class CompiledConditions {
public:
    /// Requires: patterns that compile.
    CompiledConditions(const Conditions& conditions, AttributeTable& attributes);

    [[nodiscard]] bool fits(const ResolvedRequest& request, std::optional<AttributeId> ip) const noexcept;
    [[nodiscard]] bool empty() const noexcept { return conditions_.empty(); }

private:
    friend class MatchIndex;

    struct One {
        AttributeId attribute = 0;
        std::vector<Pattern> patterns;        // few: tried in turn
        std::unique_ptr<PatternIndex> index;  // many: looked up

        [[nodiscard]] bool fits(const Subject& subject) const noexcept;
    };

    std::vector<One> conditions_;
};

class MatchIndex {
public:
    MatchIndex() = default;

    /// Adds the next set, whose number is the count of those before it.
    /// `key`: attributes that must be there too. Requires: `match` lives until build().
    void add(const Conditions& match, const Conditions& unless, std::span<const AttributeId> key,
             AttributeTable& attributes);
    /// Requires: called once, after the last add().
    /// `ip`: the number of the attribute `ip`, if anything uses it.
    void build(std::optional<AttributeId> ip);

    /// Replaces `found` by the numbers of all sets that the request fits, ascending.
    void find_all(const ResolvedRequest& request, IndexList& found) const noexcept;
    /// Returns: the lowest of them.
    [[nodiscard]] std::optional<std::uint32_t> find_first(const ResolvedRequest& request) const noexcept;

private:
    struct Set {
        CompiledConditions match;
        CompiledConditions unless;
        std::vector<AttributeId> key;
        const Conditions* source;  // of `match`; until build()

        void drop(std::size_t choice);
    };
    struct Pivot {
        AttributeId attribute = 0;
        PatternIndex patterns;
        std::vector<std::uint32_t> present;  // sets that only ask for the attribute
    };

    struct Choice;
    class Loads;

    void place(std::uint32_t number, const Choice& choice);
    void candidates(const ResolvedRequest& request, IndexList& found) const noexcept;
    [[nodiscard]] bool fits(const Set& set, const ResolvedRequest& request) const noexcept;

    std::vector<Set> sets_;
    std::vector<Pivot> pivots_;
    std::vector<std::uint32_t> always_;  // sets that ask for nothing
    std::optional<AttributeId> ip_;
};

}  // namespace stint::inline v0::rules
