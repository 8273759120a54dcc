#include "replay/request_line.hpp"

#include <algorithm>

namespace stint::inline v0::replay {
namespace {

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool is_alpha(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_token_char(char c) {
    return is_digit(c) || is_alpha(c) || std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

bool is_number(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

bool is_scheme(std::string_view text) noexcept {
    return !text.empty() && is_alpha(text.front()) && std::all_of(text.begin(), text.end(), [](char c) {
        return is_digit(c) || is_alpha(c) || c == '+' || c == '-' || c == '.';
    });
}

// The place of "://" if an absolute URI begins the target.
std::size_t scheme_end(std::string_view target) noexcept {
    if (target.empty() || target.front() == '/') return std::string_view::npos;
    const std::size_t end = target.find("://");
    return end != std::string_view::npos && is_scheme(target.substr(0, end)) ? end : std::string_view::npos;
}

// host:port without anything else, as CONNECT has it.
bool is_host_and_port(std::string_view target) noexcept {
    const std::size_t colon = target.rfind(':');
    return colon != std::string_view::npos && colon > 0 && is_number(target.substr(colon + 1)) &&
           target.find('/') == std::string_view::npos;
}

void set_path_and_query(std::string_view text, AccessRecord& record) noexcept {
    const std::size_t question = text.find('?');
    record.set(Field::path, text.substr(0, question));
    if (question != std::string_view::npos) record.set(Field::query, text.substr(question + 1));
}

}  // namespace

std::string_view host_of_authority(std::string_view authority) noexcept {
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
    if (!authority.empty() && authority.front() == '[') {
        const std::size_t close = authority.find(']');
        return close == std::string_view::npos ? authority : authority.substr(0, close + 1);
    }
    return authority.substr(0, authority.rfind(':'));
}

void set_target(std::string_view method, std::string_view target, AccessRecord& record) noexcept {
    if (method == "CONNECT" && is_host_and_port(target)) {
        if (const std::string_view host = host_of_authority(target); !host.empty()) record.set(Field::host, host);
        return;
    }
    const std::size_t scheme = scheme_end(target);
    if (scheme == std::string_view::npos) {
        set_path_and_query(target, record);
        return;
    }
    const std::string_view rest = target.substr(scheme + 3);
    const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
    if (const std::string_view host = host_of_authority(rest.substr(0, end)); !host.empty()) {
        record.set(Field::host, host);
    }
    set_path_and_query(rest.substr(end), record);
    if (record.get(Field::path).empty()) record.set(Field::path, "/");
}

void set_request(std::string_view text, AccessRecord& record) noexcept {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) return;
    const std::string_view method = text.substr(0, space);
    std::string_view target = text.substr(space + 1);
    std::string_view protocol;
    if (const std::size_t second = target.find(' '); second != std::string_view::npos) {
        protocol = target.substr(second + 1);
        target = target.substr(0, second);
        const bool is_http = protocol.size() > 5 && protocol.starts_with("HTTP/");
        if (!is_http || protocol.find(' ') != std::string_view::npos) return;
    }
    if (!is_token(method) || target.empty()) return;
    record.set(Field::method, method);
    if (!protocol.empty()) record.set(Field::protocol, protocol);
    set_target(method, target, record);
}

}  // namespace stint::inline v0::replay
