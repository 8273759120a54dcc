// Rules as the check path needs them: attribute names are numbers, conditions
// are indexes, and counters carry the ids that the store knows them by. One
// matching rule among thousands, or one override, is looked up, not walked to.
// Tested by compiled_rules_test.cpp, against a walk over all rules.
// Threads: immutable; every function may be called from any number of threads.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/key_template.hpp"
#include "rules/resolved_request.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::rules {

class MatchIndex;
class AttributeTable;

/// The indexes of the rules that apply, ascending, as in the file.
using MatchList = boost::container::small_vector<std::uint32_t, 16>;

/// The values of a key's attributes, in the order of the key.
using KeyValues = boost::container::small_vector<std::string_view, kKeyAttributesMax>;

/// Space for an encoded key; on the heap only when long.
class KeyBuffer {
public:
    KeyBuffer() noexcept = default;
    KeyBuffer(const KeyBuffer&) = delete;
    KeyBuffer& operator=(const KeyBuffer&) = delete;
    ~KeyBuffer() = default;

private:
    friend class CompiledRules;

    std::array<char, 256> inline_;
    std::string heap_;
};

/// One rule, ready to be asked.
struct CompiledRule {
    CompiledRule() noexcept;
    CompiledRule(CompiledRule&&) noexcept;
    CompiledRule& operator=(CompiledRule&&) noexcept;
    ~CompiledRule();

    const Rule* rule = nullptr;  ///< as given; lives as long as the CompiledRules
    std::uint32_t index = 0;     ///< in the order of the rules
    /// The rule's own numbers, one counter for each limit. An id is a hash of
    /// the rule's name, the names of the key's attributes and Limit::kind().
    std::vector<Counter> counters;
    std::optional<BanCounter> ban;
    std::optional<KeyTemplate> redis_key;  ///< none: no plain counter
    std::vector<AttributeId> key_attributes;
    /// The counters of all overrides one after the other, ids as in `counters`.
    std::vector<Counter> override_counters;
    std::unique_ptr<const MatchIndex> override_index;  ///< null: no overrides
};

class CompiledRules {
public:
    /// Requires: rules that validate() finds nothing wrong with.
    CompiledRules(std::vector<Rule> rules, RuleSet::Options options);
    ~CompiledRules();
    CompiledRules(const CompiledRules&) = delete;
    CompiledRules& operator=(const CompiledRules&) = delete;

    [[nodiscard]] const std::vector<Rule>& source() const noexcept { return source_; }
    [[nodiscard]] const RuleSet::Options& options() const noexcept { return options_; }

    /// Gives each attribute its number. Names that no rule uses are passed
    /// over; of several equal names the first counts; `ip` is normalised.
    /// `request` refers to the attributes' memory, and may be used again.
    void resolve(std::span<const Attribute> attributes, ResolvedRequest& request) const noexcept;

    /// Finds the rules that apply: `match` fits, `unless` does not, and every
    /// attribute of the key is there. `matches` is replaced.
    void match(const ResolvedRequest& request, MatchList& matches) const noexcept;

    [[nodiscard]] const CompiledRule& rule(std::size_t index) const noexcept { return rules_[index]; }
    [[nodiscard]] std::size_t size() const noexcept { return rules_.size(); }
    /// Returns: the rule of this name, or null.
    [[nodiscard]] const CompiledRule* find(std::string_view name) const noexcept;

    /// Returns: the rule's counters with the numbers of the first override
    /// that fits, or with the rule's own.
    [[nodiscard]] std::span<const Counter> counters(const CompiledRule& rule,
                                                    const ResolvedRequest& request) const noexcept;

    /// Returns: what the request has of the rule's key. Requires: every attribute of it.
    [[nodiscard]] static KeyValues key_values(const CompiledRule& rule, const ResolvedRequest& request);

    /// Makes a key of `given` values, one for each attribute in the order of the rule's key: `ip` is normalised.
    /// `request`: lends its memory; the values live as long as it and `given`.
    [[nodiscard]] KeyValues key_values(const CompiledRule& rule, std::span<const std::string_view> given,
                                       ResolvedRequest& request) const;

    /// Returns: the values as one key. One: as it is; several: each after its length in 8 bytes, so that no two
    /// keys are alike; none: empty. Lives as long as `values` and `buffer`.
    [[nodiscard]] static std::string_view encode_key(std::span<const std::string_view> values,
                                                     KeyBuffer& buffer) noexcept;
    [[nodiscard]] static std::string_view encode_key(const CompiledRule& rule, const ResolvedRequest& request,
                                                     KeyBuffer& buffer) {
        return encode_key(key_values(rule, request), buffer);
    }

    /// Returns: whether `key` names exactly the attributes of the rule's key,
    /// each once, in any order.
    [[nodiscard]] bool names_key(const CompiledRule& rule, std::span<const Attribute> key) const noexcept;

private:
    std::vector<Rule> source_;
    RuleSet::Options options_;
    std::unique_ptr<AttributeTable> attributes_;
    std::unique_ptr<MatchIndex> index_;
    std::vector<CompiledRule> rules_;
    std::vector<std::uint32_t> by_name_;  // rule indexes, sorted by name
    std::optional<AttributeId> ip_;       // the number of `ip`, if a rule uses it
};

}  // namespace stint::inline v0::rules
