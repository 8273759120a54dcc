#include "replay/json_line.hpp"

#include <algorithm>
#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <optional>
#include <span>

#include "replay/log_time.hpp"
#include "replay/request_line.hpp"

namespace stint::inline v0::replay {
namespace {

namespace json = boost::json;
using Names = std::span<const std::string_view>;

// The first of these names that holds something counts. A dot leads into a
// nested object; of a list the first element counts.
constexpr std::array<std::string_view, 11> kAddress{
    "remote_addr",        "client_ip", "ip",         "ClientHost",        "remote_ip",
    "clientip",           "client",    "ClientAddr", "request.client_ip", "request.remote_ip",
    "request.remote_addr"};
constexpr std::array<std::string_view, 10> kTime{"ts",         "StartUTC",  "StartLocal", "msec", "time_iso8601",
                                                 "time_local", "timestamp", "@timestamp", "time", "datetime"};
constexpr std::array<std::string_view, 4> kMethod{"method", "request_method", "RequestMethod", "request.method"};
constexpr std::array<std::string_view, 7> kTarget{"request_uri", "uri",    "RequestPath", "path",
                                                  "url",         "target", "request.uri"};
constexpr std::array<std::string_view, 3> kQuery{"query", "query_string", "args"};
constexpr std::array<std::string_view, 1> kRequestLine{"request"};
constexpr std::array<std::string_view, 4> kStatus{"status", "DownstreamStatus", "status_code", "response_code"};
constexpr std::array<std::string_view, 4> kUser{"user", "remote_user", "user_id", "ClientUsername"};
constexpr std::array<std::string_view, 4> kHost{"host", "http_host", "RequestHost", "request.host"};
constexpr std::array<std::string_view, 5> kReferer{"referer", "http_referer", "referrer", "request_Referer",
                                                   "request.headers.Referer"};
constexpr std::array<std::string_view, 5> kUserAgent{"user_agent", "http_user_agent", "agent", "request_User-Agent",
                                                     "request.headers.User-Agent"};
constexpr std::array<std::string_view, 5> kProtocol{"protocol", "proto", "server_protocol", "RequestProtocol",
                                                    "request.proto"};

const json::value* find(const json::object& object, std::string_view name) noexcept {
    if (const json::value* direct = object.if_contains(name)) return direct;
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return nullptr;
    const json::value* nested = object.if_contains(name.substr(0, dot));
    const json::object* inner = nested != nullptr ? nested->if_object() : nullptr;
    return inner != nullptr ? find(*inner, name.substr(dot + 1)) : nullptr;
}

// The text of a value; empty and `-` are what loggers write for "none".
std::optional<std::string_view> text_of(const json::value& value) noexcept {
    if (const json::array* list = value.if_array()) return list->empty() ? std::nullopt : text_of(list->front());
    const json::string* text = value.if_string();
    if (text == nullptr || text->empty() || *text == "-") return std::nullopt;
    return std::string_view{text->data(), text->size()};
}

std::optional<std::string_view> find_text(const json::object& object, Names names) noexcept {
    for (const std::string_view name : names) {
        const json::value* value = find(object, name);
        if (value == nullptr) continue;
        if (const auto text = text_of(*value)) return text;
    }
    return std::nullopt;
}

std::optional<Instant> find_time(const json::object& object) noexcept {
    for (const std::string_view name : kTime) {
        const json::value* value = find(object, name);
        if (value == nullptr) continue;
        std::optional<Instant> time;
        if (value->is_number()) {
            time = time_from_number(value->to_number<double>());
        } else if (const auto text = text_of(*value)) {
            time = parse_any_time(*text);
        }
        if (time) return time;
    }
    return std::nullopt;
}

// 100 to 999, as a number or as text.
std::optional<int> find_status(const json::object& object) noexcept {
    for (const std::string_view name : kStatus) {
        const json::value* value = find(object, name);
        if (value == nullptr) continue;
        int status = 0;
        if (value->is_int64() && value->get_int64() < 1000) {
            status = static_cast<int>(std::max<std::int64_t>(value->get_int64(), 0));
        } else if (const auto text = text_of(*value); text && text->size() == 3) {
            const auto [end, error] = std::from_chars(text->data(), text->data() + 3, status);
            if (error != std::errc{} || end != text->data() + 3) continue;
        }
        if (status >= 100) return status;
    }
    return std::nullopt;
}

bool all_digits(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Some loggers put the peer's port behind its address.
std::string_view without_port(std::string_view address) noexcept {
    if (address.front() == '[') {
        const std::size_t close = address.find(']');
        return close == std::string_view::npos || close == 1 ? address : address.substr(1, close - 1);
    }
    const std::size_t colon = address.find(':');
    if (colon == 0 || colon == std::string_view::npos) return address;
    return all_digits(address.substr(colon + 1)) ? address.substr(0, colon) : address;
}

}  // namespace

class JsonLineParser::Impl {
public:
    // Bytes that are no UTF-8 are bytes like any others here.
    Impl() : parser_({}, options()) {}

    const json::object* parse(std::string_view line) {
        memory_.release();
        parser_.reset(&memory_);
        boost::system::error_code error;
        parser_.write(line.data(), line.size(), error);
        if (error) return nullptr;
        value_ = parser_.release();
        return value_->if_object();
    }
    void done() noexcept { value_.reset(); }

private:
    static json::parse_options options() {
        json::parse_options chosen;
        chosen.allow_invalid_utf8 = true;
        chosen.max_depth = 16;
        return chosen;
    }

    std::array<unsigned char, 16384> buffer_{};
    json::monotonic_resource memory_{buffer_.data(), buffer_.size()};
    json::parser parser_;
    std::optional<json::value> value_;
};

JsonLineParser::JsonLineParser() : impl_(std::make_unique<Impl>()) {}
JsonLineParser::~JsonLineParser() = default;

namespace {

void set_text(Field field, const json::object& object, Names names, Scratch& scratch, AccessRecord& record) {
    if (const auto text = find_text(object, names)) record.set(field, scratch.copy(*text));
}

void set_request_fields(const json::object& object, Scratch& scratch, AccessRecord& record) {
    set_text(Field::method, object, kMethod, scratch, record);
    const auto target = find_text(object, kTarget);
    if (!target) {
        // nginx's $request, the whole line; only when nobody took it apart.
        const auto line = find_text(object, kRequestLine);
        if (line && !record.has(Field::method)) set_request(scratch.copy(*line), record);
    } else {
        set_target(record.get(Field::method), scratch.copy(*target), record);
    }
    if (!record.has(Field::query)) set_text(Field::query, object, kQuery, scratch, record);
    if (!record.has(Field::protocol)) set_text(Field::protocol, object, kProtocol, scratch, record);
    if (!record.has(Field::host)) {
        const std::string_view host = host_of_authority(find_text(object, kHost).value_or(""));
        if (!host.empty()) record.set(Field::host, scratch.copy(host));
    }
}

}  // namespace

Result<AccessRecord, std::string_view> JsonLineParser::parse(std::string_view line, Scratch& scratch) {
    // No text grows when it is decoded, and each is copied at most once.
    scratch.begin(line.size() + 16);
    if (line.empty()) return tl::unexpected<std::string_view>{"an empty line"};
    const json::object* object = impl_->parse(line);
    if (object == nullptr) return tl::unexpected<std::string_view>{"not one JSON object"};

    AccessRecord record;
    const auto address = find_text(*object, kAddress);
    if (!address) return tl::unexpected<std::string_view>{"no address in any of the known fields"};
    const auto time = find_time(*object);
    if (!time) return tl::unexpected<std::string_view>{"no time with a zone in any of the known fields"};
    record.time = *time;
    record.set(Field::ip, scratch.copy(without_port(*address)));
    set_request_fields(*object, scratch, record);
    if (const auto status = find_status(*object)) {
        const std::size_t start = scratch.mark();
        for (const int unit : {100, 10, 1}) scratch.push(static_cast<char>('0' + *status / unit % 10));
        record.set(Field::status, scratch.since(start));
    }
    set_text(Field::user, *object, kUser, scratch, record);
    set_text(Field::referer, *object, kReferer, scratch, record);
    set_text(Field::user_agent, *object, kUserAgent, scratch, record);
    impl_->done();
    return record;
}

}  // namespace stint::inline v0::replay
