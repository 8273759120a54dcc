#include "rules/limit_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "base/duration_text.hpp"
#include "core/calendar.hpp"

namespace stint::inline v0::rules {
namespace {

constexpr std::array<std::string_view, 11> kLimitKeys{
    "algorithm", "limit", "per", "capacity", "anchor", "unit", "timezone", "mode", "buckets", "lease", "count_denied"};
constexpr std::array<std::string_view, 5> kAlgorithms{"fixed_window", "sliding_window", "sliding_log", "token_bucket",
                                                      "concurrency"};
constexpr std::array<std::string_view, 3> kAnchors{"first", "clock", "calendar"};
constexpr std::array<std::string_view, 4> kUnits{"day", "week", "month", "year"};
constexpr std::array<std::string_view, 2> kModes{"strict", "weighted"};

template <typename Enum>
std::optional<Enum> choice(const Fields& fields, std::string_view key, std::span<const std::string_view> words) {
    const auto index = fields.choice(key, words);
    if (!index) return std::nullopt;
    return static_cast<Enum>(*index);
}

/// What one mapping says; what it leaves out is empty.
struct LimitText {
    std::optional<Algorithm> algorithm;
    std::optional<std::uint64_t> limit;
    std::optional<Duration> per;
    std::optional<std::uint64_t> capacity;
    std::optional<Anchor> anchor;
    std::optional<CalendarUnit> unit;
    std::optional<std::string> timezone;
    std::optional<WindowMode> mode;
    std::optional<std::uint64_t> buckets;
    std::optional<Duration> lease;
    std::optional<bool> count_denied;
};

LimitText read_fields(const Fields& fields, Algorithm otherwise) {
    LimitText text;
    text.algorithm = choice<Algorithm>(fields, "algorithm", kAlgorithms);
    const Algorithm algorithm = text.algorithm.value_or(otherwise);
    static_cast<void>(fields.require("limit"));
    text.limit = fields.number("limit", 0, limit_max(algorithm));
    text.per = fields.duration("per");
    text.capacity = fields.number("capacity", 1, kBucketMax);
    text.anchor = choice<Anchor>(fields, "anchor", kAnchors);
    text.unit = choice<CalendarUnit>(fields, "unit", kUnits);
    text.timezone = fields.text("timezone");
    text.mode = choice<WindowMode>(fields, "mode", kModes);
    text.buckets = fields.number("buckets", 1, kBucketsMax);
    text.lease = fields.duration("lease");
    text.count_denied = fields.boolean("count_denied");
    return text;
}

/// Notes keys that this kind of limit has no use for.
void check_belonging(const Fields& fields, Algorithm algorithm, Anchor anchor, const char* why, Notes& notes) {
    const bool fixed = algorithm == Algorithm::fixed_window;
    const bool sliding = algorithm == Algorithm::sliding_window;
    const bool calendar = fixed && anchor == Anchor::calendar;
    const auto check = [&](const char* key, bool belongs, const char* owner) {
        if (belongs || fields.find(key) == nullptr) return;
        notes.add(*fields.find(key),
                  fmt::format("{}: only {} has one; this limit is a {}{}", key, owner, to_string(algorithm), why));
    };
    check("per", algorithm != Algorithm::concurrency && !calendar,
          "a limit over time that is not anchored to the calendar");
    check("capacity", algorithm == Algorithm::token_bucket, "token_bucket");
    check("anchor", fixed, "fixed_window");
    check("unit", calendar, "fixed_window with anchor: calendar");
    check("timezone", calendar, "fixed_window with anchor: calendar");
    check("mode", sliding, "sliding_window");
    check("buckets", sliding, "sliding_window");
    check("lease", algorithm == Algorithm::concurrency, "concurrency");
}

/// Notes each problem at the key that its reason begins with.
void note_problems(const ConfigError& error, const Fields& fields, Notes& notes) {
    for (const Problem& problem : error.problems()) {
        const std::string_view reason = problem.reason;
        const YAML::Node* value = fields.find(reason.substr(0, reason.find(':')));
        notes.add(value != nullptr ? *value : fields.node(), problem.reason);
    }
}

/// Compares what an override repeats with what the rule has.
class Agreement {
public:
    Agreement(const Fields& fields, Notes& notes) : fields_{fields}, notes_{notes} {}

    template <typename T>
    void check(const char* key, const std::optional<T>& given, const T& own, const std::string& own_text) {
        if (!given || *given == own) return;
        notes_.add(*fields_.find(key), fmt::format("{}: an override changes numbers only; the rule's limit has {} "
                                                   "here (leave it out, or repeat that)",
                                                   key, own_text));
    }

private:
    const Fields& fields_;
    Notes& notes_;
};

void check_agreement(const Fields& fields, const LimitText& text, const Limit& base, Notes& notes) {
    Agreement agreement{fields, notes};
    agreement.check("algorithm", text.algorithm, base.algorithm(), to_string(base.algorithm()));
    if (text.algorithm && *text.algorithm != base.algorithm()) return;
    agreement.check("per", text.per, base.period(), write_duration(base.period()));
    agreement.check("lease", text.lease, base.period(), write_duration(base.period()));
    agreement.check("anchor", text.anchor, base.anchor(), to_string(base.anchor()));
    agreement.check("unit", text.unit, base.unit(), to_string(base.unit()));
    agreement.check("mode", text.mode, base.mode(), to_string(base.mode()));
    agreement.check("buckets", text.buckets, std::uint64_t{base.buckets()}, std::to_string(base.buckets()));
    agreement.check("count_denied", text.count_denied, base.count_denied(), base.count_denied() ? "true" : "false");
    if (base.calendar() != nullptr) {
        agreement.check("timezone", text.timezone, base.calendar()->timezone(), base.calendar()->timezone());
    }
    check_belonging(fields, base.algorithm(), base.anchor(), " as in the rule", notes);
}

}  // namespace

std::optional<Limit> read_limit(const YAML::Node& node, const LimitDefaults& defaults, Notes& notes) {
    const std::size_t before = notes.count();
    const Fields fields{node, "a limit", kLimitKeys, notes};
    const LimitText text = read_fields(fields, Algorithm::sliding_window);
    if (fields.find("algorithm") != nullptr && !text.algorithm) return std::nullopt;
    LimitSpec spec;
    spec.algorithm = text.algorithm.value_or(Algorithm::sliding_window);
    spec.anchor = text.anchor.value_or(Anchor::first);
    check_belonging(fields, spec.algorithm, spec.anchor, text.algorithm ? "" : " (the default)", notes);
    if (notes.count() != before || !text.limit) return std::nullopt;
    spec.limit = *text.limit;
    spec.per = text.per;
    spec.unit = text.unit;
    spec.timezone = text.timezone;
    if (spec.anchor == Anchor::calendar && !spec.timezone) spec.timezone = defaults.timezone;
    spec.mode = text.mode.value_or(WindowMode::strict);
    if (text.buckets) spec.buckets = static_cast<std::uint32_t>(*text.buckets);
    spec.capacity = text.capacity;
    spec.lease = text.lease;
    const bool can_count_denied = spec.algorithm != Algorithm::concurrency;
    spec.count_denied = text.count_denied.value_or(defaults.count_denied && can_count_denied);
    try {
        return Limit::make(spec);
    } catch (const ConfigError& error) {
        note_problems(error, fields, notes);
    }
    return std::nullopt;
}

std::optional<Limit> read_override_limit(const YAML::Node& node, const Limit& base, Notes& notes) {
    const std::size_t before = notes.count();
    const Fields fields{node, "a limit", kLimitKeys, notes};
    const LimitText text = read_fields(fields, base.algorithm());
    check_agreement(fields, text, base, notes);
    if (notes.count() != before || !text.limit) return std::nullopt;
    try {
        return base.with_numbers(*text.limit, text.capacity);
    } catch (const ConfigError& error) {
        note_problems(error, fields, notes);
    }
    return std::nullopt;
}

void check_override_limit(const YAML::Node& node, Notes& notes) {
    static_cast<void>(read_fields(Fields{node, "a limit", kLimitKeys, notes}, Algorithm::token_bucket));
}

}  // namespace stint::inline v0::rules
