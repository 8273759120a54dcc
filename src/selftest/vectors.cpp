#include "selftest/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <span>

namespace stint::inline v0::selftest {
namespace {

namespace json = boost::json;

/// The members of one JSON object, with complaints that name the member. The
/// first complaint is kept; what is read after it counts for nothing.
class Fields {
public:
    Fields(const json::value& value, std::string name, std::string& error) : name_(std::move(name)), error_(error) {
        if (value.is_object()) {
            object_ = &value.get_object();
        } else {
            complain("", "must be an object");
        }
    }

    void allow_only(std::span<const std::string_view> names) {
        if (object_ == nullptr) return;
        for (const auto& member : *object_) {
            const std::string_view key{member.key().data(), member.key().size()};
            if (std::find(names.begin(), names.end(), key) == names.end()) complain(key, "unknown field");
        }
    }
    [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }

    std::string text(std::string_view key) {
        const json::value* value = need(key);
        if (value != nullptr && value->is_string()) {
            return {value->get_string().data(), value->get_string().size()};
        }
        if (value != nullptr) complain(key, "must be a string");
        return {};
    }
    bool truth(std::string_view key) {
        const json::value* value = need(key);
        if (value != nullptr && value->is_bool()) return value->get_bool();
        if (value != nullptr) complain(key, "must be true or false");
        return false;
    }
    std::uint64_t count(std::string_view key) {
        const json::value* value = need(key);
        if (value == nullptr) return 0;
        if (value->is_uint64()) return value->get_uint64();
        if (value->is_int64() && value->get_int64() >= 0) return static_cast<std::uint64_t>(value->get_int64());
        complain(key, "must be a whole number, 0 or more");
        return 0;
    }
    std::int64_t micros(std::string_view key) {
        const json::value* value = need(key);
        if (value == nullptr) return 0;
        if (value->is_int64()) return value->get_int64();
        complain(key, "must be a whole number of microseconds");
        return 0;
    }
    Duration wait(std::string_view key) {
        const json::value* value = find(key);
        if (value != nullptr && value->is_string() && value->get_string() == "never") return kNever;
        return Duration{micros(key)};
    }
    /// Returns: the value whose name stands in the text; the first one if none does.
    template <typename Value>
    Value one_of(std::string_view key, std::span<const Value> values) {
        const std::string name = text(key);
        std::string names;
        for (const Value value : values) {
            if (name == to_string(value)) return value;
            names += fmt::format("{}{}", names.empty() ? "" : ", ", to_string(value));
        }
        complain(key, fmt::format("'{}' is none of {}", name, names));
        return values.front();
    }
    const json::value* need(std::string_view key) {
        const json::value* value = find(key);
        if (value == nullptr && object_ != nullptr) complain(key, "missing");
        return value;
    }
    void complain(std::string_view key, std::string_view reason) {
        if (!error_.empty()) return;
        const std::string where = fmt::format("{}{}{}", name_, name_.empty() || key.empty() ? "" : ".", key);
        error_ = fmt::format("{}{}{}", where, where.empty() ? "" : ": ", reason);
    }

private:
    [[nodiscard]] const json::value* find(std::string_view key) const {
        return object_ == nullptr ? nullptr : object_->if_contains({key.data(), key.size()});
    }

    const json::object* object_ = nullptr;
    std::string name_;
    std::string& error_;
};

LimitSpec parse_limit(Fields fields) {
    static constexpr std::array<std::string_view, 10> kNames{
        "algorithm", "limit", "period_us", "anchor", "unit", "timezone", "mode", "buckets", "capacity", "count_denied"};
    static constexpr std::array kAlgorithms{Algorithm::fixed_window, Algorithm::sliding_window, Algorithm::sliding_log,
                                            Algorithm::token_bucket};
    static constexpr std::array kAnchors{Anchor::first, Anchor::clock, Anchor::calendar};
    static constexpr std::array kUnits{CalendarUnit::day, CalendarUnit::week, CalendarUnit::month, CalendarUnit::year};
    static constexpr std::array kModes{WindowMode::strict, WindowMode::weighted};

    fields.allow_only(kNames);
    LimitSpec spec;
    spec.algorithm = fields.one_of<Algorithm>("algorithm", kAlgorithms);
    spec.limit = fields.count("limit");
    if (fields.has("anchor")) spec.anchor = fields.one_of<Anchor>("anchor", kAnchors);
    if (fields.has("unit")) spec.unit = fields.one_of<CalendarUnit>("unit", kUnits);
    if (fields.has("timezone")) spec.timezone = fields.text("timezone");
    if (fields.has("mode")) spec.mode = fields.one_of<WindowMode>("mode", kModes);
    if (fields.has("capacity")) {
        const std::uint64_t capacity = fields.count("capacity");
        if (capacity != spec.limit) spec.capacity = capacity;  // else it is the default, which may be 0
    }
    if (fields.has("count_denied")) spec.count_denied = fields.truth("count_denied");
    if (fields.has("buckets")) {
        spec.buckets = static_cast<std::uint32_t>(std::min<std::uint64_t>(fields.count("buckets"), UINT32_MAX));
    }
    if (spec.anchor != Anchor::calendar || fields.has("period_us")) spec.per = Duration{fields.micros("period_us")};
    return spec;
}

Step parse_step(Fields fields) {
    static constexpr std::array<std::string_view, 7> kNames{
        "t_us", "key", "cost", "allowed", "remaining", "retry_after_us", "reset_after_us"};
    fields.allow_only(kNames);
    Step step;
    step.time = Instant{Duration{fields.micros("t_us")}};
    step.key = fields.text("key");
    step.cost = fields.count("cost");
    step.allowed = fields.truth("allowed");
    step.remaining = fields.count("remaining");
    step.retry_after = fields.wait("retry_after_us");
    step.reset_after = fields.wait("reset_after_us");
    return step;
}

Vector parse_vector(const json::value& value, std::string& error) {
    Fields fields{value, "", error};
    Vector vector;
    vector.id = fields.text("id");
    if (const json::value* limit = fields.need("limit")) vector.limit = parse_limit({*limit, "limit", error});
    const json::value* steps = fields.need("steps");
    if (steps == nullptr) return vector;
    if (!steps->is_array()) {
        fields.complain("steps", "must be an array");
        return vector;
    }
    for (const json::value& step : steps->get_array()) {
        vector.steps.push_back(parse_step({step, fmt::format("steps[{}]", vector.steps.size() + 1), error}));
    }
    return vector;
}

}  // namespace

Result<std::vector<Vector>> parse_vectors(std::string_view text, std::string_view name) {
    std::vector<Vector> vectors;
    std::size_t line_number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line_number;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;

        boost::system::error_code code;
        const json::value value = json::parse({line.data(), line.size()}, code);
        if (code) return failure(fmt::format("{}:{}: no JSON: {}", name, line_number, code.message()));
        std::string error;
        vectors.push_back(parse_vector(value, error));
        vectors.back().line = line_number;
        if (!error.empty()) return failure(fmt::format("{}:{}: {}", name, line_number, error));
    }
    return vectors;
}

}  // namespace stint::inline v0::selftest
