#include "server/http/http_api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/http_fields.hpp"
#include "server/http/decision_json.hpp"
#include "server/http/json_text.hpp"

namespace stint::inline v0::http {
namespace {

enum class Path { check, peek, release, renew, reset, healthz, readyz, unknown };

/// `lower` is in lower case; only letters of `text` are folded, in ASCII.
bool starts_with_any_case(std::string_view text, std::string_view lower) {
    const auto same = [](char want, char have) {
        return (have >= 'A' && have <= 'Z' ? have - 'A' + 'a' : have) == want;
    };
    return text.size() >= lower.size() && std::equal(lower.begin(), lower.end(), text.begin(), same);
}

/// Returns: the path of an origin-form or absolute-form target, without its
/// query. A scheme is the same in either case (RFC 9110, 4.2.3).
std::string_view path_of(std::string_view target) {
    constexpr std::string_view kScheme = "http://";
    if (starts_with_any_case(target, kScheme)) {
        const std::size_t end = std::min(target.find_first_of("/?", kScheme.size()), target.size());
        target.remove_prefix(end);  // an authority without a path stands for "/", which is unknown like ""
    }
    return target.substr(0, target.find('?'));
}

Path route(std::string_view target) {
    const std::string_view path = path_of(target);
    if (path == "/v1/check") return Path::check;
    if (path == "/v1/peek") return Path::peek;
    if (path == "/v1/release") return Path::release;
    if (path == "/v1/renew") return Path::renew;
    if (path == "/v1/reset") return Path::reset;
    if (path == "/healthz") return Path::healthz;
    if (path == "/readyz") return Path::readyz;
    return Path::unknown;
}

bool method_fits(const HttpRequest& request, Path path, HttpReply& reply) {
    const bool probe = path == Path::healthz || path == Path::readyz;
    const bool reads = request.method == Method::get || request.method == Method::head;
    if (probe ? reads : request.method == Method::post) return true;
    reply.fields = probe ? "Allow: GET, HEAD\r\n" : "Allow: POST\r\n";
    show_error(reply, 405, probe ? "only GET and HEAD are allowed here" : "only POST is allowed here");
    return false;
}

/// Says what is wrong with a rule and key that the limiter does not know.
void refuse_rule(const Limiter& limiter, std::string_view name, HttpReply& reply) {
    const RuleSet set = limiter.rules();
    const auto rule = std::find_if(set.rules().begin(), set.rules().end(),
                                   [&](const Rule& candidate) { return candidate.name == name; });
    if (rule == set.rules().end()) {
        return show_error(reply, 404, fmt::format("there is no rule \"{}\"", shortened(name)));
    }
    if (rule->key.empty()) {
        return show_error(reply, 400,
                          fmt::format("rule \"{}\" has one counter for all; its \"key\" is empty", rule->name));
    }
    show_error(reply, 400,
               fmt::format("\"key\" must have exactly the attributes that rule \"{}\" counts by: \"{}\"", rule->name,
                           fmt::join(rule->key, "\", \"")));
}

void show_flag(std::string_view name, const ChangeAnswer& answer, HttpReply& reply) {
    if (answer.error != StoreError::none) {
        reply.fields = "Retry-After: 1\r\n";
        return show_error(reply, 503, fmt::format("the store failed: {}", to_string(answer.error)));
    }
    reply.status = 200;
    reply.body = fmt::format("{{\"{}\":{}}}", name, answer.done);
}

}  // namespace

void show_error(HttpReply& reply, int status, std::string_view message) {
    reply.status = status;
    reply.body = R"({"error":)";
    append_json_string(reply.body, message);
    reply.body += '}';
}

HttpApi::HttpApi(Limiter& limiter, const HttpOptions& options, const std::atomic<bool>& ready, Executor home)
    : limiter_(limiter),
      ready_(ready),
      home_(std::move(home)),
      x_rate_limit_(options.x_rate_limit),
      parser_(options.attributes_max) {}

LateReplyPtr HttpApi::handle(const HttpRequest& request, HttpReply& reply) {
    reply.fields.clear();
    reply.body.clear();
    const Path path = route(request.target);
    if (path == Path::unknown) {
        show_error(
            reply, 404,
            "unknown path; known are /v1/check, /v1/peek, /v1/release, /v1/renew, /v1/reset, /healthz and /readyz");
        return nullptr;
    }
    if (!method_fits(request, path, reply)) return nullptr;
    switch (path) {
        case Path::check:
        case Path::peek:
            return check(request.body, path == Path::peek, reply);
        case Path::release:
        case Path::renew:
            return lease(request.body, path == Path::renew, reply);
        case Path::reset:
            return reset(request.body, reply);
        case Path::healthz:
            reply.status = 200;
            reply.body = R"({"status":"ok"})";
            return nullptr;
        case Path::readyz:
        case Path::unknown:
            break;
    }
    const bool ready = ready_.load(std::memory_order_relaxed);
    reply.status = ready ? 200 : 503;
    reply.body = ready ? R"({"status":"ready"})" : R"({"status":"draining"})";
    return nullptr;
}

LateReplyPtr HttpApi::check(std::string_view text, bool peek, HttpReply& reply) {
    const Result<const Body*> parsed = parser_.parse(text, BodyKind::check);
    if (!parsed) {
        show_error(reply, 400, parsed.error());
        return nullptr;
    }
    const Body& body = **parsed;
    if (limiter_.store_can_fail()) return check_late(body, peek, reply);
    const CheckOptions options{.cost = body.cost, .now = std::nullopt};
    if (!body.by_rule) {
        show(peek ? limiter_.peek(body.attributes, options) : limiter_.check(body.attributes, options), reply);
        return nullptr;
    }
    const std::optional<Decision> decision = peek ? limiter_.peek_rule(body.rule, body.attributes, options)
                                                  : limiter_.check_rule(body.rule, body.attributes, options);
    if (decision) {
        show(*decision, reply);
    } else {
        refuse_rule(limiter_, body.rule, reply);
    }
    return nullptr;
}

LateReplyPtr HttpApi::check_late(const Body& body, bool peek, HttpReply& reply) {
    const CheckOptions options{.cost = body.cost, .now = std::nullopt};
    auto late = std::make_shared<LateReply>();
    const DecisionHandler done = [this, late, home = home_](Decision decision) {
        auto kept = std::make_shared<const Decision>(std::move(decision));
        home([this, late, kept] {
            show(*kept, late->reply);
            if (late->arrived) late->arrived();
        });
    };
    if (!body.by_rule) {
        peek ? limiter_.peek_async(body.attributes, options, done)
             : limiter_.check_async(body.attributes, options, done);
        return late;
    }
    const bool asked = peek ? limiter_.peek_rule_async(body.rule, body.attributes, options, done)
                            : limiter_.check_rule_async(body.rule, body.attributes, options, done);
    if (asked) return late;
    refuse_rule(limiter_, body.rule, reply);
    return nullptr;
}

LateReplyPtr HttpApi::lease(std::string_view text, bool renew, HttpReply& reply) {
    const Result<const Body*> parsed = parser_.parse(text, BodyKind::lease);
    if (!parsed) {
        show_error(reply, 400, parsed.error());
        return nullptr;
    }
    const std::string_view lease = (*parsed)->lease;
    if (!limiter_.store_can_fail()) {
        renew ? show_flag("renewed", limiter_.renew(lease), reply)
              : show_flag("released", limiter_.release(lease), reply);
        return nullptr;
    }
    auto late = std::make_shared<LateReply>();
    renew ? limiter_.renew_async(lease, std::nullopt, show_late("renewed", late))
          : limiter_.release_async(lease, std::nullopt, show_late("released", late));
    return late;
}

LateReplyPtr HttpApi::reset(std::string_view text, HttpReply& reply) {
    const Result<const Body*> parsed = parser_.parse(text, BodyKind::key);
    if (!parsed) {
        show_error(reply, 400, parsed.error());
        return nullptr;
    }
    const Body& body = **parsed;
    if (!limiter_.store_can_fail()) {
        const ChangeAnswer answer = limiter_.reset(body.rule, body.attributes);
        answer ? show_flag("reset", answer, reply) : refuse_rule(limiter_, body.rule, reply);
        return nullptr;
    }
    auto late = std::make_shared<LateReply>();
    if (limiter_.reset_async(body.rule, body.attributes, show_late("reset", late))) return late;
    refuse_rule(limiter_, body.rule, reply);
    return nullptr;
}

/// Returns: what fills the reply, at home. `flag` is a literal.
ChangeHandler HttpApi::show_late(std::string_view flag, const LateReplyPtr& late) const {
    return [flag, late, home = home_](ChangeAnswer answer) {
        home([flag, late, answer] {
            show_flag(flag, answer, late->reply);
            if (late->arrived) late->arrived();
        });
    };
}

void HttpApi::show(const Decision& decision, HttpReply& reply) const {
    const bool undecided = decision.source == Source::failure_policy;  // 429 would say that a limit is reached
    reply.status = decision.allowed ? 200 : undecided ? 503 : 429;
    engine::append_http_fields(reply.fields, decision, {.rate_limit = true, .x_rate_limit = x_rate_limit_});
    append_json(reply.body, decision);
}

}  // namespace stint::inline v0::http
