#include "cli/key_command.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <ostream>
#include <string_view>

#include "base/log_lines.hpp"
#include "base/suggest.hpp"
#include "cli/attribute_words.hpp"
#include "cli/key_report.hpp"
#include "cli/store_choice.hpp"
#include "rules/compiled_rules.hpp"
#include "stint/error.hpp"
#include "stint/limiter.hpp"
#include "store/redis/command_client.hpp"
#include "store/redis/key_name.hpp"

namespace stint::inline v0::cli {
namespace {

using store::redis::CommandClient;

/// The key that a command names, and where its counters are.
class NamedKey {
public:
    /// `command` outlives it. Errors: throws ConfigError if rules or store cannot be used.
    explicit NamedKey(const KeyCommand& command)
        : command_(command), rules_(load_rules(command.rules)), store_(command.store, 0) {
        store_.be_patient();
    }

    /// Errors: store, rule or key are none.
    Result<void> find() {
        if (store_.server() == nullptr) {
            return failure("--store is missing: a server, as redis://host; counters in memory end with the process");
        }
        auto attributes = parse_attributes(command_.key);
        if (!attributes) return tl::unexpected{attributes.error()};
        attributes_ = std::move(*attributes);
        const rules::CompiledRules& compiled = rules_.compiled();
        const rules::CompiledRule* rule = compiled.find(command_.rule);
        if (rule == nullptr) {
            std::vector<std::string_view> names;
            for (const Rule& known : rules_.rules()) names.push_back(known.name);
            return failure(fmt::format("there is no rule \"{}\"{}", command_.rule, suggestion(command_.rule, names)));
        }
        if (!compiled.names_key(*rule, attributes_)) {
            return failure(fmt::format("the key of \"{}\" is {}", command_.rule, key_text(*rule->rule)));
        }
        compiled.resolve(attributes_, request_);
        ask_.key = compiled.encode_key(*rule, request_, buffer_);
        ask_.rule = rule->rule->name;
        ask_.names = rule->rule->key;
        ask_.counters = rule->counters;
        ask_.ban = rule->ban ? &*rule->ban : nullptr;
        if (rule->redis_key) redis_key_ = rule->redis_key->render(compiled.key_values(*rule, request_));
        ask_.redis_key = redis_key_;
        return {};
    }

    [[nodiscard]] const Ask& ask() const noexcept { return ask_; }
    [[nodiscard]] std::string name() const {
        const RedisOptions& options = *store_.server();
        return store::redis::KeyNames{{options.prefix, options.digest_key_names, options.digest_key}}.name_of(ask_);
    }
    [[nodiscard]] Result<std::unique_ptr<CommandClient>> connect() const {
        auto client = CommandClient::connect(*store_.server(), kPatience);
        if (!client) return failure(fmt::format("the store cannot be reached: {}", client.error()));
        return client;
    }
    /// Errors: the store did not decide; says why.
    [[nodiscard]] Result<Decision> peek() const {
        LogLines log;
        auto store = store_.open([&log](const std::string& line) { log.add(line); });
        Limiter limiter{*store, rules_};
        Decision decision = *limiter.peek_rule(command_.rule, attributes_);
        // The names in a decision live as long as its limiter; the rules live longer.
        for (LimitDecision& limit : decision.limits) limit.rule = ask_.rule;
        decision.rule = ask_.rule;
        if (decision.source != Source::local && decision.source != Source::failure_policy) return decision;
        const std::vector<std::string> said = log.lines();
        return failure(
            fmt::format("the store did not decide{}{}", said.empty() ? "" : ": ", said.empty() ? "" : said.front()));
    }

private:
    static std::string key_text(const Rule& rule) {
        if (rule.key.empty()) return "one for all: no attribute is given";
        std::vector<std::string> words;
        for (const std::string& name : rule.key) words.push_back(name + "=…");
        return fmt::format("{}", fmt::join(words, " "));
    }

    const KeyCommand& command_;
    RuleSet rules_;
    StoreChoice store_;
    std::vector<Attribute> attributes_;
    rules::ResolvedRequest request_;
    rules::KeyBuffer buffer_;
    std::string redis_key_;
    Ask ask_;
};

/// Returns: us since the epoch. Errors: as CommandClient::ask.
Result<std::int64_t> server_time(CommandClient& client) {
    const auto reply = client.ask({"TIME"});
    if (!reply) return tl::unexpected{reply.error()};
    std::int64_t us = 0;
    for (const resp::Value& part : **reply) {
        std::int64_t number = 0;
        std::from_chars(part.text().data(), part.text().data() + part.text().size(), number);
        us = us * 1'000'000 + number;
    }
    return us;
}

Result<KeyReport> look(const NamedKey& key, CommandClient& client) {
    KeyReport report;
    report.name = key.name();
    const auto value = client.ask({"GET", report.name});
    if (!value) return failure(fmt::format("{}: {}", report.name, value.error()));
    const std::string bytes{(*value)->text()};
    if ((*value)->type() != resp::Type::null) report.bytes = bytes.size();
    const auto ttl = client.ask({"PTTL", report.name});
    if (!ttl) return tl::unexpected{ttl.error()};
    if ((*ttl)->type() == resp::Type::integer && (*ttl)->integer() >= 0) report.expires_ms = (*ttl)->integer();
    // Last, so that in a cluster it is the time of the node that has the key.
    const auto now = server_time(client);
    if (!now) return tl::unexpected{now.error()};
    report.now = *now;
    if (auto done = read_value(key.ask(), bytes, report); !done) {
        return failure(fmt::format("{}: the value is not stint's: {}", report.name, done.error()));
    }
    return report;
}

Result<std::string> inspect_key(const KeyCommand& command) {
    NamedKey key{command};
    if (auto found = key.find(); !found) return tl::unexpected{found.error()};
    const auto client = key.connect();
    if (!client) return tl::unexpected{client.error()};
    const auto report = look(key, **client);
    if (!report) return tl::unexpected{report.error()};
    const auto peek = key.peek();
    if (!peek) return tl::unexpected{peek.error()};
    return command.json ? report_json(*report, *peek) + '\n' : report_text(*report, *peek);
}

Result<std::string> reset_key(const KeyCommand& command) {
    NamedKey key{command};
    if (auto found = key.find(); !found) return tl::unexpected{found.error()};
    const auto client = key.connect();
    if (!client) return tl::unexpected{client.error()};
    const auto deleted = (*client)->ask({"DEL", key.name()});
    if (!deleted) return tl::unexpected{deleted.error()};
    const bool was_there = (*deleted)->type() == resp::Type::integer && (*deleted)->integer() > 0;
    return fmt::format("{}: {}\n", key.name(), was_there ? "reset" : "was as new already");
}

int run(const char* name, Result<std::string> (*ask)(const KeyCommand&), const KeyCommand& command, std::ostream& out,
        std::ostream& err) {
    try {
        const Result<std::string> text = ask(command);
        if (text) {
            out << *text;
            return 0;
        }
        err << fmt::format("stint {}: {}\n", name, text.error());
    } catch (const ConfigError& error) {
        err << error.what() << '\n';
    }
    return 2;
}

}  // namespace

int inspect(const KeyCommand& command, std::ostream& out, std::ostream& err) {
    return run("inspect", inspect_key, command, out, err);
}

int reset(const KeyCommand& command, std::ostream& out, std::ostream& err) {
    return run("reset", reset_key, command, out, err);
}

}  // namespace stint::inline v0::cli
