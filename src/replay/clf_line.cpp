#include "replay/clf_line.hpp"

#include <algorithm>
#include <optional>

#include "replay/log_time.hpp"
#include "replay/request_line.hpp"

namespace stint::inline v0::replay {
namespace {

// No time is longer: the day, the clock, nine digits of a fraction, the zone.
constexpr std::size_t kTimeBytesMax = 48;

int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

struct TimeField {
    Instant time;
    std::size_t begin = 0;  // of the space before the bracket
    std::size_t end = 0;    // after the closing bracket
};

// The first ` [time]` at or after `from`. A user name may hold spaces and
// brackets, so what merely looks like a time is passed over.
Result<TimeField, std::string_view> find_time(std::string_view line, std::size_t from) noexcept {
    bool seen = false;
    for (std::size_t at = line.find(" [", from); at != std::string_view::npos; at = line.find(" [", at + 2)) {
        const std::string_view inside = line.substr(at + 2, kTimeBytesMax);
        const std::size_t close = inside.find(']');
        seen = true;
        if (close == std::string_view::npos) continue;
        if (const std::optional<Instant> time = parse_clf_time(inside.substr(0, close))) {
            return TimeField{.time = *time, .begin = at, .end = at + 2 + close + 1};
        }
    }
    return tl::unexpected<std::string_view>{seen ? "the time is not [day/Mon/year:hour:minute:second +zone]"
                                                 : "no [time]"};
}

// The fields after the time, from left to right. Once something is missing or
// malformed, nothing that follows can be trusted, and all of it is absent.
class Fields {
public:
    explicit Fields(std::string_view text) noexcept : text_(text) {}

    // "text": closed by a quote that is not escaped and at which the field can
    // end. Servers that escape nothing write quotes inside, followed by more.
    std::optional<std::string_view> quoted() noexcept {
        skip_spaces();
        if (text_.empty() || text_.front() != '"') return fail();
        for (std::size_t i = 1; i < text_.size(); ++i) {
            if (text_[i] == '\\') {
                ++i;
            } else if (text_[i] == '"' && (i + 1 == text_.size() || text_[i + 1] == ' ')) {
                const std::string_view inside = text_.substr(1, i - 1);
                text_.remove_prefix(i + 1);
                return inside;
            }
        }
        return fail();
    }

    std::optional<std::string_view> word() noexcept {
        skip_spaces();
        const std::string_view found = text_.substr(0, text_.find(' '));
        if (found.empty()) return fail();
        text_.remove_prefix(found.size());
        return found;
    }

private:
    void skip_spaces() noexcept { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }
    std::optional<std::string_view> fail() noexcept {
        text_ = {};
        return std::nullopt;
    }

    std::string_view text_;
};

bool is_status(std::string_view text) noexcept {
    return text.size() == 3 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Between address and time: `ident user`. The user may hold spaces.
void set_user(std::string_view between, AccessRecord& record, Scratch& scratch) {
    if (between.empty()) return;
    between.remove_prefix(1);
    const std::size_t space = between.find(' ');
    if (space == std::string_view::npos) return;
    const std::string_view user = between.substr(space + 1);
    if (user == "-" || user.empty()) return;
    // Apache writes "" for a user who sent an empty name.
    record.set(Field::user, user == "\"\"" ? std::string_view{""} : unescape(user, scratch));
}

void set_unless_dash(Field field, std::optional<std::string_view> raw, AccessRecord& record, Scratch& scratch) {
    if (raw && *raw != "-") record.set(field, unescape(*raw, scratch));
}

}  // namespace

std::string_view unescape(std::string_view raw, Scratch& scratch) {
    std::size_t backslash = raw.find('\\');
    if (backslash == std::string_view::npos) return raw;
    const std::size_t start = scratch.mark();
    scratch.copy(raw.substr(0, backslash));
    for (std::size_t i = backslash; i < raw.size(); ++i) {
        const char next = i + 1 < raw.size() ? raw[i + 1] : '\0';
        if (raw[i] == '\\' && (next == '"' || next == '\\')) {
            scratch.push(next);
            i += 1;
        } else if (raw[i] == '\\' && next == 'x' && i + 3 < raw.size() && hex_value(raw[i + 2]) >= 0 &&
                   hex_value(raw[i + 3]) >= 0) {
            scratch.push(static_cast<char>(hex_value(raw[i + 2]) * 16 + hex_value(raw[i + 3])));
            i += 3;
        } else {
            scratch.push(raw[i]);
        }
    }
    return scratch.since(start);
}

Result<AccessRecord, std::string_view> parse_clf_line(std::string_view line, bool combined, Scratch& scratch) {
    scratch.begin(line.size());
    if (line.empty()) return tl::unexpected<std::string_view>{"an empty line"};
    const std::string_view address = line.substr(0, line.find(' '));
    if (address.empty() || address == "-") return tl::unexpected<std::string_view>{"no address"};
    const Result<TimeField, std::string_view> at = find_time(line, address.size());
    if (!at) return tl::unexpected<std::string_view>{at.error()};

    AccessRecord record;
    record.time = at->time;
    record.set(Field::ip, address);
    set_user(line.substr(address.size(), at->begin - address.size()), record, scratch);

    Fields fields{line.substr(at->end)};
    if (const auto request = fields.quoted()) set_request(unescape(*request, scratch), record);
    if (const auto status = fields.word(); status && is_status(*status)) record.set(Field::status, *status);
    if (!combined) return record;
    (void)fields.word();  // bytes sent
    set_unless_dash(Field::referer, fields.quoted(), record, scratch);
    set_unless_dash(Field::user_agent, fields.quoted(), record, scratch);
    return record;
}

}  // namespace stint::inline v0::replay
