#include "replay/simulation.hpp"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <string>
#include <utility>

#include "base/ip.hpp"
#include "replay/limit_text.hpp"
#include "replay/tally.hpp"
#include "stint/limiter.hpp"
#include "stint/memory_store.hpp"

namespace stint::inline v0::replay {
namespace {

using Minute = std::chrono::sys_time<std::chrono::minutes>;

void add_fields(const Conditions& conditions, FieldSet& fields) {
    for (const Condition& condition : conditions) {
        if (const auto field = field_named(condition.attribute)) fields.set(static_cast<std::size_t>(*field));
    }
}

// Key values as one name for a Tally: each after its length, so that no two keys are alike.
void append_value(std::string_view value, std::string& name) {
    for (int shift = 24; shift >= 0; shift -= 8) name.push_back(static_cast<char>(value.size() >> shift & 0xFF));
    name.append(value);
}

std::string_view take_value(std::string_view& name) {
    std::size_t size = 0;
    for (int i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(name[static_cast<std::size_t>(i)]);
    const std::string_view value = name.substr(4, size);
    name.remove_prefix(4 + size);
    return value;
}

// Value by value in byte order, whatever their lengths.
bool key_before(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        const std::string_view left = take_value(a);
        const std::string_view right = take_value(b);
        if (left != right) return left < right;
    }
    return a.empty() && !b.empty();
}

struct RuleCounts {
    std::uint64_t checked = 0;
    std::uint64_t allowed = 0;
    std::uint64_t denied = 0;
    std::uint64_t banned = 0;
    Tally keys;     // denied, by key as counted
    Tally clients;  // denied, by address as written
    boost::unordered_flat_map<std::int64_t, std::uint64_t> denied_in_minute;
    TimeSeries series;
};

std::optional<WorstMinute> worst_minute(const RuleCounts& counts) {
    std::optional<WorstMinute> worst;
    for (const auto& [minute, denied] : counts.denied_in_minute) {
        const Instant start = Minute{std::chrono::minutes{minute}};
        const bool worse = !worst || denied > worst->denied || (denied == worst->denied && start < worst->start);
        if (worse) worst = WorstMinute{.start = start, .denied = denied};
    }
    return worst;
}

}  // namespace

FieldSet fields_used(const RuleSet& rules) {
    FieldSet fields;
    fields.set(static_cast<std::size_t>(Field::ip));
    for (const Rule& rule : rules.rules()) {
        add_fields(rule.match, fields);
        add_fields(rule.unless, fields);
        for (const Override& replaced : rule.overrides) add_fields(replaced.match, fields);
        for (const std::string& name : rule.key) {
            if (const auto field = field_named(name)) fields.set(static_cast<std::size_t>(*field));
        }
    }
    return fields;
}

std::vector<std::string> unknown_attributes(const Rule& rule) {
    std::vector<std::string> unknown;
    const auto note = [&](const std::string& name) {
        const bool known = field_named(name) || std::find(unknown.begin(), unknown.end(), name) != unknown.end();
        if (!known) unknown.push_back(name);
    };
    for (const Condition& condition : rule.match) note(condition.attribute);
    for (const std::string& name : rule.key) note(name);
    return unknown;
}

class Simulation::Impl {
public:
    Impl(RuleSet rules, SimulationOptions options)
        : rules_(std::move(rules)),
          options_(options),
          store_(store_options(options)),
          limiter_(store_, rules_),
          counts_(rules_.rules().size()) {
        const FieldSet used = fields_used(rules_);
        for (std::size_t i = 0; i < kFieldCount; ++i) {
            if (used.test(i)) fields_.push_back(static_cast<Field>(i));
        }
        for (std::size_t i = 0; i < counts_.size(); ++i) places_.emplace(rules_.rules()[i].name, i);
    }

    void feed(const AccessRecord& record) {
        first_ = first_ ? std::min(*first_, record.time) : record.time;
        last_ = last_ ? std::max(*last_, record.time) : record.time;
        attributes_.clear();
        for (const Field field : fields_) {
            if (!record.has(field)) continue;
            attributes_.push_back({kFieldNames[static_cast<std::size_t>(field)], record.get(field)});
        }
        const Decision decision =
            limiter_.check(std::span<const Attribute>{attributes_}, CheckOptions{.now = record.time});
        if (decision.limits.empty()) return;
        ++checked_;
        ++(decision.allowed ? allowed_ : denied_);
        series_.add(record.time, decision.allowed);
        count_verdicts(decision, record);
    }

    [[nodiscard]] Report report() const {
        Report report;
        report.checked = checked_;
        report.allowed = allowed_;
        report.denied = denied_;
        report.first = first_;
        report.last = last_;
        report.series = series_;
        report.evictions = store_.stats().evictions;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            report.rules.push_back(rule_report(rules_.rules()[i], counts_[i]));
            // All plots show the same steps. The whole series spans every rule's.
            report.rules.back().series.widen_to(series_.step_seconds());
        }
        return report;
    }

private:
    static MemoryStoreOptions store_options(const SimulationOptions& options) {
        MemoryStoreOptions chosen;
        chosen.max_memory = options.max_memory;
        // Most logs have few keys, spread over the table: with big pages, a few
        // hundred of them would touch all of its memory.
        chosen.huge_pages = false;
        // Nobody asks for the time: every check brings its own.
        chosen.clock = [] { return Instant{}; };
        return chosen;
    }

    // The limits of a decision stand in the order of the rules; a rule allows
    // what all of its limits allow, whatever became of the whole check.
    void count_verdicts(const Decision& decision, const AccessRecord& record) {
        const LimitDecisions& limits = decision.limits;
        for (std::size_t i = 0; i < limits.size();) {
            const std::string_view rule = limits[i].rule;
            bool allowed = true;
            bool banned = false;
            for (; i < limits.size() && limits[i].rule == rule; ++i) {
                allowed &= limits[i].allowed;
                banned |= limits[i].banned;
            }
            count_verdict(places_.at(rule), allowed && !banned, banned, record);
        }
    }

    void count_verdict(std::size_t place, bool allowed, bool banned, const AccessRecord& record) {
        RuleCounts& counts = counts_[place];
        ++counts.checked;
        counts.series.add(record.time, allowed);
        if (allowed) {
            ++counts.allowed;
            return;
        }
        ++counts.denied;
        counts.banned += banned ? 1 : 0;
        counts.clients.add(record.get(Field::ip));
        name_.clear();
        for (const std::string& attribute : rules_.rules()[place].key) append_value(value(attribute, record), name_);
        counts.keys.add(name_);
        ++counts.denied_in_minute[std::chrono::floor<std::chrono::minutes>(record.time).time_since_epoch().count()];
    }

    // The value of a key's attribute as it is counted by.
    std::string_view value(std::string_view attribute, const AccessRecord& record) {
        const Field field = field_named(attribute).value_or(Field::ip);
        if (field != Field::ip) return record.get(field);
        return normalise_ip(record.get(field), rules_.options().ipv6_prefix, ip_text_);
    }

    [[nodiscard]] RuleReport rule_report(const Rule& rule, const RuleCounts& counts) const {
        RuleReport report;
        report.rule = rule.name;
        report.shadow = rule.shadow;
        report.key = rule.key;
        for (const Limit& limit : rule.limits) report.limits.push_back(limit_text(limit));
        report.checked = counts.checked;
        report.allowed = counts.allowed;
        report.denied = counts.denied;
        report.banned = counts.banned;
        report.denied_keys = counts.keys.size();
        report.denied_clients = counts.clients.size();
        report.worst_minute = worst_minute(counts);
        report.series = counts.series;
        for (auto [name, denied] : counts.keys.top(options_.top, key_before)) {
            KeyCount& top = report.top.emplace_back();
            top.denied = denied;
            for (const std::string& attribute : rule.key) top.key.emplace_back(attribute, take_value(name));
        }
        for (const auto& [ip, denied] : counts.clients.top(options_.top)) {
            report.top_clients.push_back({.ip = std::string{ip}, .denied = denied});
        }
        return report;
    }

    RuleSet rules_;
    SimulationOptions options_;
    MemoryStore store_;
    Limiter limiter_;
    std::vector<RuleCounts> counts_;  // in the order of the rules
    boost::unordered_flat_map<std::string_view, std::size_t> places_;
    std::vector<Field> fields_;
    TimeSeries series_;
    std::optional<Instant> first_;
    std::optional<Instant> last_;
    std::uint64_t checked_ = 0;
    std::uint64_t allowed_ = 0;
    std::uint64_t denied_ = 0;
    // Space that is used again for every request.
    std::vector<Attribute> attributes_;
    std::string name_;
    IpText ip_text_;
};

Simulation::Simulation(RuleSet rules, SimulationOptions options)
    : impl_(std::make_unique<Impl>(std::move(rules), options)) {}
Simulation::~Simulation() = default;

void Simulation::feed(const AccessRecord& record) {
    impl_->feed(record);
}
Report Simulation::report() const {
    return impl_->report();
}

}  // namespace stint::inline v0::replay
