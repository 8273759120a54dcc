// Rules: where a limit applies, who is counted, and what happens otherwise;
// made in code or read from a rule file (docs/rules.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stint/error.hpp"
#include "stint/limit.hpp"
#include "stint/store.hpp"

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// What is known of a request: a name and bytes. It refers to the caller's
/// memory and lives for one call.
struct Attribute {
    std::string_view name;
    std::string_view value;
};

/// One attribute and what it may be: any of the patterns. A pattern is an
/// exact value, a glob (`*` stands for any bytes, also none), or for the
/// attribute `ip` an address or a CIDR.
struct Condition {
    std::string attribute;
    std::vector<std::string> patterns;
    friend bool operator==(const Condition&, const Condition&) = default;
};

/// All conditions must hold; no conditions hold for every request.
using Conditions = std::vector<Condition>;

/// Numbers that replace a rule's own for some requests; never a counter's identity.
struct Override {
    Conditions match;
    std::vector<Limit> limits;  ///< one for each limit of the rule, of the same kind, in order
    friend bool operator==(const Override&, const Override&) = default;
};

/// What a check answers when the store cannot.
enum class OnStoreFailure : std::uint8_t { local, allow, deny };
[[nodiscard]] const char* to_string(OnStoreFailure policy) noexcept;

struct Rule {
    std::string name{};              ///< [A-Za-z0-9_.-]{1,64}
    Conditions match{};              ///< none: every request
    Conditions unless{};             ///< takes requests out; none: takes out no request
    std::vector<std::string> key{};  ///< attributes that requests are counted by; none: one counter for all
    std::vector<Limit> limits{};     ///< 1 to kLimitsPerRuleMax, no two of one kind
    std::vector<Override> overrides{};
    std::optional<Ban> ban{};
    std::uint64_t cost = 1;  ///< multiplies a request's cost; at least 1
    bool shadow = false;     ///< decided and reported, never denies
    OnStoreFailure on_store_failure = OnStoreFailure::local;
    /// Where Redis counts as INCR does, for services that share the count: `rate:{action}:{team}`; docs/redis.md.
    /// Only with a single fixed window that begins with the first request, and no ban. Empty: stint's own way.
    std::string redis_key{};
    bool deny_cache = true;  ///< a denial may be repeated for up to a second without asking Redis again
    friend bool operator==(const Rule&, const Rule&) = default;
};

inline constexpr std::size_t kLimitsPerRuleMax = 8;
inline constexpr std::size_t kKeyAttributesMax = 8;
inline constexpr std::size_t kRulesMax = 100'000;
inline constexpr std::size_t kNameBytesMax = 64;        ///< of a rule's name
inline constexpr std::size_t kAttributeBytesMax = 256;  ///< of an attribute's name

/// Returns: whether a rule can be called so: 1 to kNameBytesMax of A-Z a-z 0-9 _ . -
[[nodiscard]] constexpr bool is_rule_name(std::string_view name) noexcept {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    return !name.empty() && name.size() <= kNameBytesMax && name.find_first_not_of(kLetters) == name.npos;
}

namespace rules {
class CompiledRules;
}

/// Validated, immutable rules in file order. Copies share one object.
/// Threads: immutable.
class RuleSet {
public:
    struct Options {
        /// IPv6 addresses are cut to this many bits before anything looks at them: 1 to 128.
        int ipv6_prefix = 64;
    };

    /// No rules: every request is allowed.
    RuleSet();
    /// Errors: throws ConfigError with every problem of every rule.
    explicit RuleSet(std::vector<Rule> rules);
    RuleSet(std::vector<Rule> rules, Options options);

    [[nodiscard]] const std::vector<Rule>& rules() const noexcept;
    [[nodiscard]] const Options& options() const noexcept;
    [[nodiscard]] const rules::CompiledRules& compiled() const noexcept { return *compiled_; }

private:
    std::shared_ptr<const rules::CompiledRules> compiled_;
};

/// Reads a rule file, or all `*.yaml` and `*.yml` of a folder in byte order of
/// their names (names that begin with a dot are passed over; links are followed).
/// Errors: throws ConfigError with every problem of every file, each with its
/// file, line and column. Nothing is dropped quietly.
[[nodiscard]] RuleSet load_rules(const std::filesystem::path& file_or_folder);

/// The same from text; `name` stands for the file in messages.
[[nodiscard]] RuleSet parse_rules(std::string_view yaml, const std::string& name = "rules");

}  // namespace stint::inline v0
#pragma GCC visibility pop
