#include "rules/compiled_rules.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "rules/attribute_table.hpp"
#include "rules/counter_id.hpp"
#include "rules/match_index.hpp"

namespace stint::inline v0::rules {
namespace {

constexpr std::uint64_t kCounterSeed = 0x7374696e74203031;  // part of every counter's identity: never change it
constexpr std::size_t kLengthBytes = 8;

char* write_length(std::size_t length, char* out) noexcept {
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        *out++ = static_cast<char>((std::uint64_t{length} >> (8 * i)) & 0xff);
    return out;
}

void append_part(std::string& parts, std::string_view part) {
    std::array<char, kLengthBytes> length{};
    write_length(part.size(), length.data());
    parts.append(length.data(), length.size());
    parts.append(part);
}

/// `code`: what the id's lowest bits say (counter_id.hpp).
std::uint64_t counter_id(const Rule& rule, std::string_view kind, std::uint64_t code) {
    std::string parts;
    append_part(parts, rule.name);
    for (const std::string& attribute : rule.key) append_part(parts, attribute);
    append_part(parts, kind);
    return (hash64(parts, kCounterSeed) & ~kCounterCodeMask) | code;
}

CompiledRule compile(const Rule& rule, std::uint32_t index, AttributeTable& attributes) {
    CompiledRule compiled;
    compiled.rule = &rule;
    compiled.index = index;
    for (const Limit& limit : rule.limits) {
        compiled.counters.push_back(
            Counter{.limit = limit, .id = counter_id(rule, limit.kind(), counter_code(limit.algorithm()))});
    }
    if (rule.ban) compiled.ban = BanCounter{.ban = *rule.ban, .id = counter_id(rule, "ban", kBanCounterCode)};
    if (!rule.redis_key.empty()) compiled.redis_key = KeyTemplate::compile(rule).value();
    for (const std::string& attribute : rule.key) compiled.key_attributes.push_back(attributes.intern(attribute));
    for (const Override& other : rule.overrides) {
        for (std::size_t i = 0; i < other.limits.size(); ++i) {
            compiled.override_counters.push_back(Counter{.limit = other.limits[i], .id = compiled.counters[i].id});
        }
    }
    return compiled;
}

}  // namespace

CompiledRule::CompiledRule() noexcept = default;
CompiledRule::CompiledRule(CompiledRule&&) noexcept = default;
CompiledRule& CompiledRule::operator=(CompiledRule&&) noexcept = default;
CompiledRule::~CompiledRule() = default;

CompiledRules::CompiledRules(std::vector<Rule> rules, RuleSet::Options options)
    : source_{std::move(rules)},
      options_{options},
      attributes_{std::make_unique<AttributeTable>()},
      index_{std::make_unique<MatchIndex>()} {
    rules_.reserve(source_.size());
    std::vector<std::unique_ptr<MatchIndex>> overrides(source_.size());
    for (std::uint32_t i = 0; i < source_.size(); ++i) {
        const Rule& rule = source_[i];
        const CompiledRule& compiled = rules_.emplace_back(compile(rule, i, *attributes_));
        index_->add(rule.match, rule.unless, compiled.key_attributes, *attributes_);
        if (rule.overrides.empty()) continue;
        overrides[i] = std::make_unique<MatchIndex>();
        for (const Override& other : rule.overrides) overrides[i]->add(other.match, {}, {}, *attributes_);
    }
    // All attributes have their numbers now; without `ip` no address is ever parsed.
    ip_ = attributes_->find(kIpAttribute);
    index_->build(ip_);
    for (std::size_t i = 0; i < rules_.size(); ++i) {
        if (overrides[i] != nullptr) overrides[i]->build(ip_);
        rules_[i].override_index = std::move(overrides[i]);
    }
    by_name_.resize(source_.size());
    for (std::uint32_t i = 0; i < by_name_.size(); ++i) by_name_[i] = i;
    std::sort(by_name_.begin(), by_name_.end(),
              [this](std::uint32_t left, std::uint32_t right) { return source_[left].name < source_[right].name; });
}

CompiledRules::~CompiledRules() = default;

void CompiledRules::resolve(std::span<const Attribute> attributes, ResolvedRequest& request) const noexcept {
    request.values_.assign(attributes_->size(), std::string_view{});
    request.address_.reset();
    for (const Attribute& attribute : attributes) {
        const auto id = attributes_->find(attribute.name);
        if (!id || request.has(*id)) continue;
        std::string_view value = attribute.value;
        if (id == ip_) value = normalise_ip(value, options_.ipv6_prefix, request.ip_text_, &request.address_);
        request.values_[*id] = value.data() != nullptr ? value : std::string_view{""};
    }
}

void CompiledRules::match(const ResolvedRequest& request, MatchList& matches) const noexcept {
    index_->find_all(request, matches);
}

const CompiledRule* CompiledRules::find(std::string_view name) const noexcept {
    const auto at =
        std::lower_bound(by_name_.begin(), by_name_.end(), name, [this](std::uint32_t index, std::string_view wanted) {
            return std::string_view{source_[index].name} < wanted;
        });
    if (at == by_name_.end() || source_[*at].name != name) return nullptr;
    return &rules_[*at];
}

std::span<const Counter> CompiledRules::counters(const CompiledRule& rule,
                                                 const ResolvedRequest& request) const noexcept {
    if (rule.override_index == nullptr) return rule.counters;
    const auto first = rule.override_index->find_first(request);
    if (!first) return rule.counters;
    return std::span{rule.override_counters}.subspan(*first * rule.counters.size(), rule.counters.size());
}

KeyValues CompiledRules::key_values(const CompiledRule& rule, const ResolvedRequest& request) {
    KeyValues values;
    for (const AttributeId attribute : rule.key_attributes) values.push_back(request.value(attribute));
    return values;
}

KeyValues CompiledRules::key_values(const CompiledRule& rule, std::span<const std::string_view> given,
                                    ResolvedRequest& request) const {
    STINT_ASSERT(given.size() == rule.key_attributes.size());
    KeyValues values;
    for (std::size_t i = 0; i < given.size(); ++i) {
        std::string_view value = given[i].data() != nullptr ? given[i] : std::string_view{""};
        if (rule.key_attributes[i] == ip_) {
            value = normalise_ip(value, options_.ipv6_prefix, request.ip_text_, &request.address_);
        }
        values.push_back(value);
    }
    return values;
}

std::string_view CompiledRules::encode_key(std::span<const std::string_view> values, KeyBuffer& buffer) noexcept {
    if (values.empty()) return {};
    if (values.size() == 1) return values.front();
    std::size_t size = 0;
    for (const std::string_view value : values) size += kLengthBytes + value.size();
    char* const begin = [&] {
        if (size <= buffer.inline_.size()) return buffer.inline_.data();
        buffer.heap_.resize(size);
        return buffer.heap_.data();
    }();
    char* out = begin;
    for (const std::string_view value : values) {
        out = write_length(value.size(), out);
        if (!value.empty()) std::memcpy(out, value.data(), value.size());
        out += value.size();
    }
    STINT_DASSERT(out == begin + size);
    return {begin, size};
}

bool CompiledRules::names_key(const CompiledRule& rule, std::span<const Attribute> key) const noexcept {
    const auto& names = rule.rule->key;
    return key.size() == names.size() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
               return std::any_of(key.begin(), key.end(), [&](const Attribute& part) { return part.name == name; });
           });
}

}  // namespace stint::inline v0::rules
