#include "store/redis/redis_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/duration_text.hpp"
#include "base/ip.hpp"
#include "base/result.hpp"
#include "base/suggest.hpp"
#include "stint/error.hpp"
#include "store/redis/secret_file.hpp"

namespace stint::inline v0 {
namespace {

constexpr std::uint16_t kServerPort = 6379;
constexpr std::uint16_t kSentinelPort = 26379;

struct Scheme {
    std::string_view name;
    Topology topology;
    bool tls;
};
constexpr std::array<Scheme, 6> kSchemes{{{"redis", Topology::single, false},
                                          {"rediss", Topology::single, true},
                                          {"redis+sentinel", Topology::sentinel, false},
                                          {"rediss+sentinel", Topology::sentinel, true},
                                          {"redis+cluster", Topology::cluster, false},
                                          {"rediss+cluster", Topology::cluster, true}}};

const Scheme* find_scheme(std::string_view name) noexcept {
    const auto* found = std::ranges::find(kSchemes, name, &Scheme::name);
    return found == kSchemes.end() ? nullptr : found;
}

/// Returns: the text up to the first of `ends`, which is taken off `rest` with it.
std::string_view take_until(std::string_view& rest, std::string_view ends) noexcept {
    const std::size_t at = rest.find_first_of(ends);
    const std::string_view taken = rest.substr(0, at);
    rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
    return taken;
}

std::optional<unsigned> hex_byte(std::string_view digits) noexcept {
    unsigned byte = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, failed] = std::from_chars(digits.data(), end, byte, 16);
    return digits.size() == 2 && failed == std::errc{} && stop == end ? std::optional{byte} : std::nullopt;
}

template <typename Number>
std::optional<Number> whole_number(std::string_view text, Number least, Number most) noexcept {
    Number number{};
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, number);
    if (failed != std::errc{} || stop != end || number < least || number > most) return std::nullopt;
    return number;
}

/// Errors: the reason, which does not repeat the text.
Result<std::string> percent_decoded(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded.push_back(text[i]);
            continue;
        }
        const auto byte = hex_byte(text.substr(i + 1, 2));
        if (!byte) return failure("after '%' stand two hexadecimal digits; '%' itself is written %25");
        decoded.push_back(static_cast<char>(*byte));
        i += 2;
    }
    return decoded;
}

class UrlReader {
public:
    RedisOptions read(std::string_view url) {
        read_parts(url);
        if (!problems_.empty()) throw ConfigError{std::move(problems_)};
        return std::move(options_);
    }

private:
    using Setter = void (UrlReader::*)(const std::string& value);
    struct Option {
        std::string_view name;
        Setter set;
    };
    static constexpr std::size_t kOptions = 14;
    static const std::array<Option, kOptions> kKnown;

    void add(std::string reason) { problems_.push_back({"", 0, 0, "store URL: " + std::move(reason)}); }

    void read_parts(std::string_view url) {
        const std::size_t colon = url.find("://");
        // Whatever has no scheme may be a password, and is not repeated.
        if (colon == std::string_view::npos) return add("expected redis://host:port/database or the like");
        const Scheme* scheme = find_scheme(url.substr(0, colon));
        if (scheme == nullptr) {
            std::array<std::string_view, kSchemes.size()> names;
            std::ranges::transform(kSchemes, names.begin(), &Scheme::name);
            return add(fmt::format("unknown scheme{}", suggestion(url.substr(0, colon), names)));
        }
        options_.topology = scheme->topology;
        options_.tls = scheme->tls;
        std::string_view rest = url.substr(colon + 3);
        const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
        rest.remove_prefix(authority.size());
        if (rest.find_first_of("@#") != std::string_view::npos) {
            // Most likely a password with one of these in it: nothing of it may be shown below.
            return add("in user names, passwords and options, write / as %2F, ? as %3F, # as %23 and @ as %40");
        }
        read_authority(authority);
        const std::string_view path = take_until(rest, "?");
        read_path(path.empty() ? path : path.substr(1));
        while (!rest.empty()) read_option(take_until(rest, "&"));
        check_together();
    }

    void read_authority(std::string_view authority) {
        const std::size_t at = authority.rfind('@');
        if (at != std::string_view::npos) {
            std::string_view user = authority.substr(0, at);
            authority.remove_prefix(at + 1);
            const std::size_t colon = user.find(':');
            set_decoded("user", user.substr(0, colon), options_.user);
            if (colon != std::string_view::npos) set_decoded("password", user.substr(colon + 1), options_.password);
        }
        if (authority.ends_with(',')) add("a host is missing");
        options_.addresses.clear();
        do {
            read_address(take_until(authority, ","));
        } while (!authority.empty());
        if (options_.topology == Topology::single && options_.addresses.size() > 1) {
            add("several hosts need redis+sentinel:// or redis+cluster://");
        }
    }

    void set_decoded(std::string_view what, std::string_view text, std::string& into) {
        auto decoded = percent_decoded(text);
        if (!decoded) return add(fmt::format("{}: {}", what, decoded.error()));
        into = std::move(*decoded);
    }

    /// Nothing is shown of an address: it may be what somebody meant as a password.
    void read_address(std::string_view text) {
        Address address{"", options_.topology == Topology::sentinel ? kSentinelPort : kServerPort};
        std::string_view port;
        if (text.starts_with('[')) {
            const std::size_t end = text.find(']');
            if (end == std::string_view::npos) return add("host: ']' is missing");
            address.host = text.substr(1, end - 1);
            port = text.substr(end + 1);
            if (address.host.find(':') == std::string::npos || !parse_ip(address.host)) {
                return add("host: between '[' and ']' stands an IPv6 address");
            }
        } else {
            address.host = text.substr(0, text.find(':'));
            port = text.substr(address.host.size());
            if (std::ranges::count(port, ':') > 1) return add("host: IPv6 addresses are written in brackets, as [::1]");
            if (address.host.empty()) return add("a host is missing");
            const bool plain = std::ranges::all_of(address.host, [](char c) {
                return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                       c == '-' || c == '_';
            });
            if (!plain) return add("host: letters, digits, '.', '-' and '_' are possible");
        }
        if (!port.empty()) {
            const auto number = whole_number<std::uint16_t>(port.substr(1), 1, 65535);
            if (!port.starts_with(':') || !number) return add("port: expected a whole number from 1 to 65535");
            address.port = *number;
        }
        options_.addresses.push_back(std::move(address));
    }

    void read_path(std::string_view path) {
        if (options_.topology == Topology::sentinel) {
            set_decoded("name", take_until(path, "/"), options_.primary_name);
            if (options_.primary_name.empty()) {
                add("the name by which the Sentinels know the server is missing: redis+sentinel://host/name");
            }
        }
        if (path.empty() || path == "0") return;
        if (options_.topology == Topology::cluster) return add("a cluster has no databases but 0");
        const auto number = whole_number<int>(path, 0, 65535);
        if (!number) return add("database: expected a whole number from 0 to 65535");
        options_.database = *number;
    }

    void read_option(std::string_view text) {
        if (text.empty()) return;
        const std::string_view name = take_until(text, "=");
        const auto* option = std::ranges::find(kKnown, name, &Option::name);
        if (option == kKnown.end()) {
            std::array<std::string_view, kOptions> names;
            std::ranges::transform(kKnown, names.begin(), &Option::name);
            return add(fmt::format("unknown option '{}'{}", name, suggestion(name, names)));
        }
        if (std::exchange(given_[static_cast<std::size_t>(option - kKnown.begin())], true)) {
            return add(fmt::format("{}: given twice", name));
        }
        std::string value;
        set_decoded(name, text, value);
        if (value.empty() && name != "prefix") return add(fmt::format("{}: a value is missing", name));
        (this->*option->set)(value);
    }

    void set_ca(const std::string& value) { options_.ca_file = value; }
    void set_cert(const std::string& value) { options_.certificate_file = value; }
    void set_key(const std::string& value) { options_.key_file = value; }
    void set_server_name(const std::string& value) { options_.server_name = value; }
    void set_prefix(const std::string& value) { options_.prefix = value; }
    void set_user(const std::string& value) {
        if (!options_.user.empty()) return add("user: given twice");
        options_.user = value;
    }
    void set_sentinel_user(const std::string& value) { options_.sentinel_user = value; }
    void set_password_file(const std::string& value) {
        if (!options_.password.empty()) return add("password_file: there is a password before the host already");
        options_.password_file = value;
        set_secret("password_file", value, options_.password);
    }
    void set_sentinel_password_file(const std::string& value) {
        options_.sentinel_password_file = value;
        set_secret("sentinel_password_file", value, options_.sentinel_password);
    }
    void set_key_names(const std::string& value) {
        options_.digest_key_names = value == "digest";
        if (value != "digest" && value != "plain") add("key_names: plain and digest are possible");
    }
    void set_digest_key_file(const std::string& value) {
        std::string digits;
        set_secret("digest_key_file", value, digits);
        if (digits.empty()) return;
        bool good = digits.size() == 2 * options_.digest_key.size();
        for (std::size_t i = 0; good && i < options_.digest_key.size(); ++i) {
            const auto byte = hex_byte(std::string_view{digits}.substr(2 * i, 2));
            good = byte.has_value();
            options_.digest_key[i] = static_cast<unsigned char>(byte.value_or(0));
        }
        if (!good) add(fmt::format("digest_key_file: {} does not hold 32 hexadecimal digits", value));
    }
    void set_deny_cache(const std::string& value) {
        options_.deny_cache = value == "on";
        if (value != "on" && value != "off") add("deny_cache: on and off are possible");
    }
    void set_deadline(const std::string& value) {
        const auto deadline = parse_duration(value);
        if (!deadline) return add(fmt::format("deadline: {}", deadline.error()));
        options_.deadline = std::chrono::ceil<std::chrono::milliseconds>(*deadline);
        if (options_.deadline < std::chrono::milliseconds{1} || options_.deadline > std::chrono::seconds{10}) {
            add("deadline: 1 ms to 10 s are possible");
        }
    }
    void set_connections(const std::string& value) {
        const auto number = whole_number<std::size_t>(value, 1, 64);
        if (!number) return add("connections: expected a whole number from 1 to 64");
        options_.connections = *number;
    }

    void set_secret(std::string_view option, const std::string& path, std::string& into) {
        auto secret = store::redis::read_secret(path);
        if (!secret) return add(fmt::format("{}: {}", option, secret.error()));
        into = std::move(*secret);
    }

    void check_together() {
        const bool names_tls_files = !options_.ca_file.empty() || !options_.certificate_file.empty() ||
                                     !options_.key_file.empty() || !options_.server_name.empty();
        if (names_tls_files && !options_.tls) add("ca, cert, key and server_name need TLS: rediss instead of redis");
        if (options_.certificate_file.empty() != options_.key_file.empty()) add("cert and key go together");
        const bool names_sentinel_user = !options_.sentinel_user.empty() || !options_.sentinel_password.empty();
        if (names_sentinel_user && options_.topology != Topology::sentinel) {
            add("sentinel_user and sentinel_password_file need redis+sentinel://");
        }
        if (!options_.user.empty() && options_.password.empty() && problems_.empty()) add("the user has no password");
    }

    RedisOptions options_;
    std::array<bool, kOptions> given_{};
    std::vector<Problem> problems_;
};

const std::array<UrlReader::Option, UrlReader::kOptions> UrlReader::kKnown{{
    {"ca", &UrlReader::set_ca},
    {"cert", &UrlReader::set_cert},
    {"key", &UrlReader::set_key},
    {"server_name", &UrlReader::set_server_name},
    {"user", &UrlReader::set_user},
    {"password_file", &UrlReader::set_password_file},
    {"sentinel_user", &UrlReader::set_sentinel_user},
    {"sentinel_password_file", &UrlReader::set_sentinel_password_file},
    {"prefix", &UrlReader::set_prefix},
    {"key_names", &UrlReader::set_key_names},
    {"digest_key_file", &UrlReader::set_digest_key_file},
    {"deny_cache", &UrlReader::set_deny_cache},
    {"deadline", &UrlReader::set_deadline},
    {"connections", &UrlReader::set_connections},
}};

}  // namespace

RedisOptions parse_redis_url(std::string_view url) {
    return UrlReader{}.read(url);
}

namespace store::redis {

bool is_redis_url(std::string_view text) noexcept {
    return text.starts_with("redis") && text.find("://") != std::string_view::npos;
}

std::string url_without_secrets(const RedisOptions& options) {
    const auto* scheme = std::ranges::find_if(kSchemes, [&options](const Scheme& known) {
        return known.topology == options.topology && known.tls == options.tls;
    });
    std::string url = fmt::format("{}://", scheme->name);
    if (!options.user.empty()) url += options.user + "@";
    const char* separator = "";
    for (const Address& address : options.addresses) {
        const bool v6 = address.host.find(':') != std::string::npos;
        url += fmt::format("{}{}{}{}:{}", std::exchange(separator, ","), v6 ? "[" : "", address.host, v6 ? "]" : "",
                           address.port);
    }
    if (!options.primary_name.empty()) url += "/" + options.primary_name;
    if (options.database != 0) url += fmt::format("/{}", options.database);
    return url;
}

}  // namespace store::redis
}  // namespace stint::inline v0
