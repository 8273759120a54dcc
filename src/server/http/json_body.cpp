#include "server/http/json_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/assert.hpp"
#include "base/base64.hpp"
#include "server/http/json_text.hpp"
#include "stint/limit.hpp"

namespace stint::inline v0::http {
namespace {

using JsonError = boost::json::error_code;
using JsonText = boost::json::string_view;

constexpr std::string_view kValueWanted = R"(a string or {"base64":"..."})";

/// Which value comes next. The grammar is small enough for a list of places.
enum class Place {
    document,    // nothing yet
    top,         // in the outer object, before a name
    attributes,  // value of "attributes"
    key,         // value of "key"
    rule,
    lease,
    cost,
    entries,        // in "attributes" or "key", before a name
    entry,          // value of one attribute
    wrapped,        // in {"base64":…}, before a name
    wrapped_value,  // value of "base64"
    done,
};

/// Receives the parser's events. A false return ends the parse; `problem` says why.
class Handler {
public:
    static constexpr std::size_t max_object_size = std::size_t(-1);
    static constexpr std::size_t max_array_size = std::size_t(-1);
    static constexpr std::size_t max_key_size = std::size_t(-1);
    static constexpr std::size_t max_string_size = std::size_t(-1);

    explicit Handler(std::size_t attributes_max) : attributes_max_(attributes_max) {}

    void begin(std::size_t text_bytes, BodyKind kind) {
        kind_ = kind;
        place_ = Place::document;
        arena_.clear();
        // Decoded text is never longer than its source, and decoded Base64 is
        // kept beside its source: the views into the arena stay valid.
        arena_.reserve(2 * text_bytes);
        token_start_ = 0;
        problem_.clear();
        seen_ = {};
        body_.by_rule = false;
        body_.attributes.clear();
        body_.rule = {};
        body_.lease = {};
        body_.cost = 1;
    }

    [[nodiscard]] const std::string& problem() const { return problem_; }
    [[nodiscard]] const Body& body() const { return body_; }

    /// Returns: whether all that must be there was; else `problem` says what is not.
    bool complete() {
        if (kind_ == BodyKind::lease) return seen_.lease || refuse(R"("lease" is missing)");
        if (seen_.attributes && (seen_.rule || seen_.key)) {
            return refuse(R"("attributes" cannot stand together with "rule" and "key")");
        }
        if (seen_.key && !seen_.rule) return refuse(R"("key" needs "rule" beside it)");
        if (kind_ == BodyKind::check && !seen_.attributes && !seen_.rule) {
            return refuse(R"("attributes" is missing, or "rule" and "key")");
        }
        if (kind_ == BodyKind::key && !seen_.rule) return refuse(R"("rule" is missing)");
        body_.by_rule = seen_.rule;
        return true;
    }

    bool on_document_begin(JsonError&) { return true; }
    bool on_document_end(JsonError&) { return true; }

    bool on_object_begin(JsonError& ec) {
        switch (place_) {
            case Place::document:
                place_ = Place::top;
                return true;
            case Place::attributes:
            case Place::key:
                place_ = Place::entries;
                return true;
            case Place::entry:
                place_ = Place::wrapped;
                wrapped_seen_ = false;
                return true;
            default:
                return wrong_type("an object", ec);
        }
    }

    bool on_object_end(std::size_t, JsonError& ec) {
        switch (place_) {
            case Place::top:
                place_ = Place::done;
                return true;
            case Place::entries:
                place_ = Place::top;
                return true;
            case Place::wrapped:
                if (!wrapped_seen_) return stop(ec, "{}: {} is expected, not an empty object", where(), kValueWanted);
                place_ = Place::entries;
                return true;
            default:
                return stop(ec, "unexpected end of an object");
        }
    }

    bool on_array_begin(JsonError& ec) { return wrong_type("an array", ec); }
    bool on_array_end(std::size_t, JsonError&) { return true; }

    bool on_key_part(JsonText text, std::size_t, JsonError&) { return add_part(text); }
    bool on_key(JsonText text, std::size_t, JsonError& ec) {
        const std::string_view name = take_token(text);
        if (place_ == Place::top) return top_name(name, ec);
        if (place_ == Place::entries) return entry_name(name, ec);
        if (name != "base64") return stop(ec, "{}: {} is expected, not \"{}\"", where(), kValueWanted, shortened(name));
        if (std::exchange(wrapped_seen_, true)) return stop(ec, "{}: \"base64\" stands there twice", where());
        place_ = Place::wrapped_value;
        return true;
    }

    bool on_string_part(JsonText text, std::size_t, JsonError&) { return add_part(text); }
    bool on_string(JsonText text, std::size_t, JsonError& ec) {
        const std::string_view value = take_token(text);
        switch (place_) {
            case Place::rule:
                body_.rule = value;
                place_ = Place::top;
                return true;
            case Place::lease:
                body_.lease = value;
                place_ = Place::top;
                return true;
            case Place::entry:
                body_.attributes.push_back({entry_name_, value});
                place_ = Place::entries;
                return true;
            case Place::wrapped_value:
                if (!base64_decode(value, arena_)) {
                    return stop(ec, "{}: \"base64\" is not padded Base64 of the standard alphabet", where());
                }
                body_.attributes.push_back({entry_name_, take_token({})});
                place_ = Place::wrapped;
                return true;
            default:
                return wrong_type("a string", ec);
        }
    }

    bool on_number_part(JsonText, JsonError&) { return true; }
    bool on_int64(std::int64_t value, JsonText, JsonError& ec) {
        if (place_ != Place::cost) return wrong_type("a number", ec);
        if (value < 0 || static_cast<std::uint64_t>(value) > kCostMax) return bad_cost(ec);
        body_.cost = static_cast<std::uint64_t>(value);
        place_ = Place::top;
        return true;
    }
    bool on_uint64(std::uint64_t, JsonText, JsonError& ec) { return on_double(0, {}, ec); }
    bool on_double(double, JsonText, JsonError& ec) {
        return place_ == Place::cost ? bad_cost(ec) : wrong_type("a number", ec);
    }
    bool on_bool(bool, JsonError& ec) { return wrong_type("a boolean", ec); }
    bool on_null(JsonError& ec) { return wrong_type("null", ec); }
    bool on_comment_part(JsonText, JsonError&) { return true; }
    bool on_comment(JsonText, JsonError&) { return true; }

private:
    struct Seen {
        bool attributes = false;
        bool rule = false;
        bool key = false;
        bool lease = false;
        bool cost = false;
    };

    bool add_part(JsonText text) {
        arena_.append(text.data(), text.size());
        return true;
    }

    /// Returns: the text gathered since the last token, ending with `last`.
    std::string_view take_token(JsonText last) {
        add_part(last);
        STINT_DASSERT(arena_.size() <= arena_.capacity());
        const std::string_view token = std::string_view{arena_}.substr(token_start_);
        token_start_ = arena_.size();
        return token;
    }

    bool top_name(std::string_view name, JsonError& ec) {
        const bool with_rule = kind_ != BodyKind::lease;
        bool* seen = nullptr;
        if (name == "attributes" && kind_ == BodyKind::check) {
            seen = &seen_.attributes;
            place_ = Place::attributes;
        } else if (name == "cost" && kind_ == BodyKind::check) {
            seen = &seen_.cost;
            place_ = Place::cost;
        } else if (name == "rule" && with_rule) {
            seen = &seen_.rule;
            place_ = Place::rule;
        } else if (name == "key" && with_rule) {
            seen = &seen_.key;
            place_ = Place::key;
        } else if (name == "lease" && kind_ == BodyKind::lease) {
            seen = &seen_.lease;
            place_ = Place::lease;
        } else {
            return stop(ec, "unknown field \"{}\"; {}", shortened(name), expected_fields());
        }
        if (std::exchange(*seen, true)) return stop(ec, "\"{}\" stands there twice", name);
        if (place_ == Place::attributes || place_ == Place::key) {
            if (seen_.attributes && seen_.key) {
                return stop(ec, R"("attributes" cannot stand together with "rule" and "key")");
            }
            section_ = name;
        }
        return true;
    }

    bool entry_name(std::string_view name, JsonError& ec) {
        entry_name_ = name;
        const auto same = [name](const Attribute& attribute) { return attribute.name == name; };
        if (std::any_of(body_.attributes.begin(), body_.attributes.end(), same)) {
            return stop(ec, "{} stands there twice", where());
        }
        if (body_.attributes.size() >= attributes_max_) {
            return stop(ec, "\"{}\" has too many entries; {} at most", section_, attributes_max_);
        }
        place_ = Place::entry;
        return true;
    }

    [[nodiscard]] std::string where() const { return fmt::format("\"{}\".\"{}\"", section_, shortened(entry_name_)); }

    [[nodiscard]] std::string_view expected_fields() const {
        switch (kind_) {
            case BodyKind::check:
                return R"(known are "attributes", "rule", "key" and "cost")";
            case BodyKind::lease:
                return R"(only "lease" is known)";
            case BodyKind::key:
                return R"(known are "rule" and "key")";
        }
        return {};
    }

    bool wrong_type(std::string_view found, JsonError& ec) {
        switch (place_) {
            case Place::document:
                return stop(ec, "the body must be a JSON object, not {}", found);
            case Place::attributes:
            case Place::key:
                return stop(ec, "\"{}\" must be an object, not {}", section_, found);
            case Place::rule:
                return stop(ec, "\"rule\" must be a string, not {}", found);
            case Place::lease:
                return stop(ec, "\"lease\" must be a string, not {}", found);
            case Place::cost:
                return stop(ec, "\"cost\" must be a whole number, not {}", found);
            case Place::wrapped_value:
                return stop(ec, "{}: \"base64\" must be a string, not {}", where(), found);
            default:
                return stop(ec, "{}: {} is expected, not {}", where(), kValueWanted, found);
        }
    }

    bool bad_cost(JsonError& ec) { return stop(ec, "\"cost\" must be a whole number from 0 to {}", kCostMax); }

    template <typename... Values>
    bool stop(JsonError& ec, fmt::format_string<Values...> format, Values&&... values) {
        ec = boost::json::error::syntax;  // any error ends the parse; problem_ is what is shown
        return refuse(fmt::format(format, std::forward<Values>(values)...));
    }

    bool refuse(std::string problem) {
        problem_ = std::move(problem);
        return false;
    }

    std::size_t attributes_max_;
    BodyKind kind_ = BodyKind::check;
    Place place_ = Place::document;
    Body body_;
    Seen seen_;
    bool wrapped_seen_ = false;
    std::string_view section_;
    std::string_view entry_name_;
    std::string arena_;
    std::size_t token_start_ = 0;
    std::string problem_;
};

}  // namespace

class BodyParser::Impl {
public:
    explicit Impl(std::size_t attributes_max) : parser_(boost::json::parse_options{}, attributes_max) {}

    Result<const Body*> parse(std::string_view text, BodyKind kind) {
        parser_.reset();
        Handler& handler = parser_.handler();
        handler.begin(text.size(), kind);
        JsonError ec;
        const std::size_t used = parser_.write_some(false, text.data(), text.size(), ec);
        if (!handler.problem().empty()) return failure(handler.problem());
        if (ec) return failure(explain(text, used, ec));
        if (used < text.size()) return failure(fmt::format("byte {}: something follows the JSON object", used + 1));
        if (!handler.complete()) return failure(handler.problem());
        return &handler.body();
    }

private:
    static std::string explain(std::string_view text, std::size_t used, const JsonError& ec) {
        if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
            return "the body is empty; a JSON object is expected";
        }
        if (ec == boost::json::error::incomplete) return "not valid JSON: it ends too early";
        return fmt::format("not valid JSON, at byte {}: {}", used + 1, ec.message());
    }

    boost::json::basic_parser<Handler> parser_;
};

BodyParser::BodyParser(std::size_t attributes_max) : impl_(std::make_unique<Impl>(attributes_max)) {}
BodyParser::~BodyParser() = default;
BodyParser::BodyParser(BodyParser&&) noexcept = default;

Result<const Body*> BodyParser::parse(std::string_view text, BodyKind kind) {
    return impl_->parse(text, kind);
}

}  // namespace stint::inline v0::http
