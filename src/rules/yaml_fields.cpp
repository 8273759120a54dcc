#include "rules/yaml_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration_text.hpp"
#include "base/suggest.hpp"

namespace stint::inline v0::rules {
namespace {

constexpr std::size_t kShownBytesMax = 60;

// Text of a file in a message: short, and without bytes that a terminal obeys.
std::string shown(std::string_view text) {
    std::string result;
    for (const char c : text.substr(0, kShownBytesMax)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            result += fmt::format("\\x{:02x}", byte);
        } else {
            result += c;
        }
    }
    return text.size() > kShownBytesMax ? result + "…" : result;
}

bool has_tag(const YAML::Node& node) {
    const std::string& tag = node.Tag();
    return !tag.empty() && tag != "?" && tag != "!";
}

bool is_quoted(const YAML::Node& node) {
    return node.Tag() == "!";
}

}  // namespace

void Notes::add(const YAML::Mark& mark, std::string reason) {
    if (exhausted_) return;  // what was not read would only seem to be missing
    Problem problem{.file = file_, .line = 0, .column = 0, .reason = std::move(reason)};
    if (!mark.is_null()) {
        problem.line = static_cast<std::size_t>(mark.line) + 1;
        problem.column = static_cast<std::size_t>(mark.column) + 1;
    }
    problems_.push_back(std::move(problem));
    if (problems_.size() < kProblemsMax) return;
    problems_.push_back({.file = file_, .line = 0, .column = 0, .reason = "further problems are not listed"});
    exhausted_ = true;
}

bool Notes::spend(const YAML::Node& node) {
    if (nodes_left_ > 0) {
        --nodes_left_;
        return true;
    }
    if (!exhausted_) add(node, "aliases repeat more than a rule file may hold");
    exhausted_ = true;
    return false;
}

std::string describe(const YAML::Node& node) {
    switch (node.Type()) {
        case YAML::NodeType::Map:
            return "a mapping";
        case YAML::NodeType::Sequence:
            return "a list";
        case YAML::NodeType::Scalar:
            return "'" + shown(node.Scalar()) + "'";
        case YAML::NodeType::Null:
        case YAML::NodeType::Undefined:
            break;
    }
    return "nothing";
}

std::optional<std::string> read_text(const YAML::Node& node, std::string_view field, Notes& notes) {
    if (!notes.spend(node)) return std::nullopt;
    if (has_tag(node)) {
        notes.add(node,
                  fmt::format("{}: the tag {} is not possible here; write the value alone", field, shown(node.Tag())));
        return std::nullopt;
    }
    if (node.IsScalar()) return node.Scalar();
    if (node.IsNull()) {
        notes.add(node, fmt::format("{}: has no value (write \"\" for the empty text)", field));
    } else {
        notes.add(node, fmt::format("{}: expected one value, got {}", field, describe(node)));
    }
    return std::nullopt;
}

Fields::Fields(const YAML::Node& node, std::string_view what, std::span<const std::string_view> known, Notes& notes)
    : node_{node}, what_{what}, notes_{notes} {
    if (!notes.spend(node)) return;
    if (has_tag(node) || !node.IsMap()) {
        notes.add(node, fmt::format("expected {} (a mapping), got {}", what, has_tag(node) ? "a tag" : describe(node)));
        return;
    }
    for (const auto& entry : node) {
        if (notes.exhausted()) return;
        if (!entry.first.IsScalar()) {
            notes.add(entry.first, fmt::format("{}: a key must be a word, not {}", what, describe(entry.first)));
            continue;
        }
        const std::string& key = entry.first.Scalar();
        const auto first =
            std::find_if(fields_.begin(), fields_.end(), [&](const Field& field) { return field.key == key; });
        if (first != fields_.end()) {
            notes.add(entry.first,
                      fmt::format("'{}' is given twice; first in line {}", shown(key), first->mark.line + 1));
            continue;
        }
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            notes.add(entry.first, fmt::format("unknown key '{}' in {}{}", shown(key), what, suggestion(key, known)));
            continue;
        }
        fields_.push_back({.key = key, .value = entry.second, .mark = entry.first.Mark()});
    }
}

const YAML::Node* Fields::find(std::string_view key) const noexcept {
    const auto at = std::find_if(fields_.begin(), fields_.end(), [&](const Field& field) { return field.key == key; });
    return at == fields_.end() ? nullptr : &at->value;
}

const YAML::Node* Fields::require(std::string_view key) const {
    const YAML::Node* value = find(key);
    if (value == nullptr && node_.IsMap()) notes_.add(node_, fmt::format("{} needs `{}`", what_, key));
    return value;
}

std::optional<std::string> Fields::text(std::string_view key) const {
    const YAML::Node* value = find(key);
    if (value == nullptr) return std::nullopt;
    return read_text(*value, key, notes_);
}

std::optional<bool> Fields::boolean(std::string_view key) const {
    const auto value = text(key);
    if (!value) return std::nullopt;
    if (!is_quoted(*find(key))) {
        if (*value == "true") return true;
        if (*value == "false") return false;
    }
    notes_.add(*find(key), fmt::format("{}: expected true or false, got {}", key, describe(*find(key))));
    return std::nullopt;
}

std::optional<std::uint64_t> Fields::number(std::string_view key, std::uint64_t least, std::uint64_t most) const {
    const auto value = text(key);
    if (!value) return std::nullopt;
    const YAML::Node& node = *find(key);
    const bool digits = !value->empty() && value->find_first_not_of("0123456789") == value->npos;
    if (!digits || is_quoted(node)) {
        const char* hint = digits ? " in quotes, which is text" : value->starts_with('-') ? ", which is negative" : "";
        notes_.add(node, fmt::format("{}: expected a whole number from {} to {}, got '{}'{}", key, least, most,
                                     shown(*value), hint));
        return std::nullopt;
    }
    if (value->size() > 1 && value->front() == '0') {
        notes_.add(node, fmt::format("{}: '{}' begins with 0, which some read as octal; write it without", key,
                                     shown(*value)));
        return std::nullopt;
    }
    std::uint64_t number = 0;
    bool too_large = false;
    for (const char c : *value) {
        const auto digit = static_cast<std::uint64_t>(c - '0');
        too_large = too_large || digit > most || number > (most - digit) / 10;
        if (!too_large) number = number * 10 + digit;
    }
    if (too_large || number > most) {
        notes_.add(node, fmt::format("{}: {} is too large; the largest possible is {}", key, shown(*value), most));
        return std::nullopt;
    }
    if (number < least) {
        notes_.add(node, fmt::format("{}: {} is too small; the smallest possible is {}", key, number, least));
        return std::nullopt;
    }
    return number;
}

std::optional<Duration> Fields::duration(std::string_view key) const {
    const auto value = text(key);
    if (!value) return std::nullopt;
    const auto duration = parse_duration(*value);
    if (!duration) {
        notes_.add(*find(key), fmt::format("{}: {}", key, duration.error()));
        return std::nullopt;
    }
    if (duration->count() == 0) {
        notes_.add(*find(key), fmt::format("{}: '{}' is no time; it must be more than 0", key, shown(*value)));
        return std::nullopt;
    }
    return *duration;
}

std::optional<std::size_t> Fields::choice(std::string_view key, std::span<const std::string_view> words) const {
    const auto value = text(key);
    if (!value) return std::nullopt;
    const auto at = std::find(words.begin(), words.end(), *value);
    if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
    notes_.add(*find(key), fmt::format("{}: '{}' is unknown{}", key, shown(*value), suggestion(*value, words)));
    return std::nullopt;
}

std::vector<YAML::Node> Fields::list(std::string_view key) const {
    const YAML::Node* value = find(key);
    if (value == nullptr || !notes_.spend(*value)) return {};
    if (has_tag(*value) || !value->IsSequence()) {
        notes_.add(*value,
                   fmt::format("{}: expected a list, got {}", key, has_tag(*value) ? "a tag" : describe(*value)));
        return {};
    }
    std::vector<YAML::Node> elements;
    for (const auto& element : *value) {
        if (!notes_.spend(element)) return {};
        elements.push_back(element);
    }
    return elements;
}

}  // namespace stint::inline v0::rules
