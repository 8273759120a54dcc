#include "oracle/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "oracle/model.hpp"
#include "oracle/subject.hpp"

namespace stint::inline v0::oracle {
namespace {

std::string wait_text(std::int64_t wait_us) {
    return wait_us == kNever.count() ? std::string{"never"} : fmt::format("{}", wait_us);
}

std::string to_text(const Verdict& verdict) {
    std::string text = verdict.allowed ? "allowed" : "denied";
    for (const RuleReply& rule : verdict.rules) {
        text += fmt::format(" [banned {}", rule.banned_for_us);
        for (const Reply& limit : rule.limits) {
            text += fmt::format("; {} remaining {} retry {} reset {}", limit.allowed ? "allows" : "denies",
                                limit.remaining, wait_text(limit.retry_after_us), wait_text(limit.reset_after_us));
        }
        text += "]";
    }
    return text;
}

bool same(const Verdict& left, const Verdict& right) {
    if (left.allowed != right.allowed || left.rules.size() != right.rules.size()) return false;
    for (std::size_t i = 0; i < left.rules.size(); ++i) {
        if (left.rules[i].banned_for_us != right.rules[i].banned_for_us) return false;
        if (left.rules[i].limits != right.rules[i].limits) return false;
    }
    return true;
}

/// What a played check left for refunds, releases and renewals.
struct Played {
    std::vector<Question> questions;
    Verdict expected;
    SubjectVerdict got;
    std::uint64_t lease_id = 0;
};

class Play {
public:
    Play(const Scenario& scenario, Store& store, std::uint64_t salt)
        : scenario_(scenario), subject_(store), salt_(salt) {}

    std::optional<std::string> run() {
        for (std::size_t i = 0; i < scenario_.events.size() && !difference_; ++i) {
            const Event& event = scenario_.events[i];
            switch (event.act) {
                case Act::check:
                case Act::peek:
                    check(event, i + 1);
                    break;
                case Act::refund:
                    refund(event);
                    break;
                case Act::release:
                case Act::renew:
                    lease(event, i + 1);
                    break;
                case Act::reset:
                    reset(event);
                    break;
            }
        }
        for (std::size_t key = 0; key < scenario_.keys.size(); ++key) {  // leave the store as it was
            for (std::size_t rule = 0; rule < scenario_.rules.size(); ++rule) {
                subject_.reset(question(rule, key, 0, 1));
            }
        }
        return difference_;
    }

private:
    Question question(std::size_t rule, std::size_t key, std::size_t numbers, std::uint64_t cost) const {
        const RuleSetup& setup = scenario_.rules[rule];
        return {fmt::format("rule{}-{}", rule, salt_), scenario_.keys[key],
                setup.numbers[numbers % setup.numbers.size()], setup.ban, cost};
    }

    void check(const Event& event, std::size_t number) {
        const bool peek = event.act == Act::peek;
        Played played;
        played.lease_id = number;
        for (const std::size_t rule : event.rules) {
            played.questions.push_back(question(rule, event.key, event.numbers, event.cost));
        }
        played.expected = model_.check(played.questions, event.t_us, peek, number);
        played.got = subject_.check(played.questions, event.t_us, peek, number);
        if (!same(played.expected, played.got.verdict)) {
            difference_ = fmt::format("event {}:\n  expected {}\n  got      {}", number, to_text(played.expected),
                                      to_text(played.got.verdict));
        } else if (scenario_.probe_waits) {
            probe(played, event, number);
        }
        if (!peek) played_.emplace(number, std::move(played));
    }

    /// Asks the store itself, at the end of the wait and of the reset, and one microsecond earlier.
    void probe(const Played& played, const Event& event, std::size_t number) {
        std::int64_t wait = 0;
        std::int64_t reset = 0;
        for (const RuleReply& rule : played.got.verdict.rules) {
            wait = std::max(wait, rule.banned_for_us);
            reset = std::max(reset, rule.banned_for_us);
            for (const Reply& limit : rule.limits) {
                wait = std::max(wait, limit.retry_after_us);
                reset = std::max(reset, limit.reset_after_us);
            }
        }
        const auto peek = [&](std::int64_t t_us) { return subject_.check(played.questions, t_us, true, 0).verdict; };
        if (!played.got.verdict.allowed && wait != kNever.count()) {
            if (!peek(event.t_us + wait).allowed)
                difference_ = fmt::format("event {}: {} us are not enough", number, wait);
            if (peek(event.t_us + wait - 1).allowed)
                difference_ = fmt::format("event {}: {} us less 1 do", number, wait);
        }
        const Verdict fresh = peek(event.t_us + reset);
        for (std::size_t q = 0; q < played.questions.size(); ++q) {
            for (std::size_t i = 0; i < fresh.rules[q].limits.size(); ++i) {
                const LimitSpec& spec = played.questions[q].limits[i];
                const Reply& reply = fresh.rules[q].limits[i];
                const std::uint64_t whole = spec.limit == 0 ? 0 : ceiling(spec);
                if (reply.remaining != whole || reply.reset_after_us != 0) {
                    difference_ = fmt::format("event {}: not as new after {} us", number, reset);
                }
            }
        }
    }

    void refund(const Event& event) {
        const auto target = played_.find(event.target);
        if (target == played_.end() || !target->second.expected.allowed) return;
        Played& played = target->second;
        for (std::size_t i = 0; i < played.questions.size(); ++i) {
            const Question now = question(event_rule(event.target, i), event_key(event.target), event.numbers, 1);
            model_.refund(now, played.expected.rules[i], event.t_us);
            subject_.refund(now, played.got.answers[i], played.lease_id, event.t_us);
        }
        played_.erase(target);  // once
    }

    void lease(const Event& event, std::size_t number) {
        const auto target = played_.find(event.target);
        if (target == played_.end() || !target->second.expected.allowed) return;
        const Played& played = target->second;
        for (std::size_t i = 0; i < played.questions.size(); ++i) {
            const Question now = question(event_rule(event.target, i), event_key(event.target), event.numbers, 1);
            const bool release = event.act == Act::release;
            const bool expected = release ? model_.release(now, played.lease_id, event.t_us)
                                          : model_.renew(now, played.lease_id, event.t_us);
            const bool got = release ? subject_.release(now, played.got.answers[i], played.lease_id, event.t_us)
                                     : subject_.renew(now, played.got.answers[i], played.lease_id, event.t_us);
            if (expected != got) difference_ = fmt::format("event {}: expected held {}, got {}", number, expected, got);
        }
    }

    void reset(const Event& event) {
        for (const std::size_t rule : event.rules) {
            const Question now = question(rule, event.key, event.numbers, 1);
            model_.reset(now);
            subject_.reset(now);
        }
    }

    std::size_t event_rule(std::size_t number, std::size_t i) const { return scenario_.events[number - 1].rules[i]; }
    std::size_t event_key(std::size_t number) const { return scenario_.events[number - 1].key; }

    const Scenario& scenario_;
    Model model_;
    Subject subject_;
    std::uint64_t salt_;
    std::map<std::size_t, Played> played_;  // by the event's number
    std::optional<std::string> difference_;
};

/// Returns: the scenario without one event; what points at later events is moved along.
Scenario without(const Scenario& scenario, std::size_t index) {
    Scenario shorter = scenario;
    shorter.events.erase(shorter.events.begin() + static_cast<std::ptrdiff_t>(index));
    for (Event& event : shorter.events) {
        if (event.target == index + 1) event.target = 0;
        if (event.target > index + 1) --event.target;
    }
    return shorter;
}

}  // namespace

std::optional<std::string> play(const Scenario& scenario, Store& store, std::uint64_t salt) {
    return Play{scenario, store, salt}.run();
}

std::string smallest_failure(Scenario scenario, const StoreFactory& make_store) {
    const auto fails = [&](const Scenario& candidate) { return play(candidate, *make_store(), 0); };
    std::optional<std::string> difference = fails(scenario);
    if (!difference) return "differs in some stores only:\n" + to_text(scenario);
    for (bool shrunk = true; shrunk;) {
        shrunk = false;
        for (std::size_t i = scenario.events.size(); i-- > 0;) {
            Scenario shorter = without(scenario, i);
            if (auto still = fails(shorter)) {
                scenario = std::move(shorter);
                difference = std::move(still);
                shrunk = true;
            }
        }
    }
    return to_text(scenario) + *difference + "\n";
}

std::string to_text(const LimitSpec& spec) {
    std::string text = fmt::format("{} limit {}", stint::to_string(spec.algorithm), spec.limit);
    if (spec.per) text += fmt::format(" per {} us", spec.per->count());
    if (spec.lease) text += fmt::format(" lease {} us", spec.lease->count());
    if (spec.capacity) text += fmt::format(" capacity {}", *spec.capacity);
    if (spec.algorithm == Algorithm::fixed_window) text += fmt::format(" anchor {}", stint::to_string(spec.anchor));
    if (spec.unit) text += fmt::format(" {} {}", stint::to_string(*spec.unit), spec.timezone.value_or("UTC"));
    if (spec.algorithm == Algorithm::sliding_window) {
        text += fmt::format(" {} buckets {}", stint::to_string(spec.mode), spec.buckets);
    }
    return text + (spec.count_denied ? " count_denied" : "");
}

std::string to_text(const Scenario& scenario) {
    std::string text;
    for (std::size_t rule = 0; rule < scenario.rules.size(); ++rule) {
        const RuleSetup& setup = scenario.rules[rule];
        for (std::size_t set = 0; set < setup.numbers.size(); ++set) {
            text += fmt::format("rule {} numbers {}:", rule, set);
            for (const LimitSpec& spec : setup.numbers[set]) text += fmt::format(" {{{}}}", to_text(spec));
            text += "\n";
        }
        if (setup.ban) {
            text += fmt::format("rule {} ban: {} denials within {} us for {} us\n", rule, setup.ban->denials,
                                setup.ban->within.count(), setup.ban->duration.count());
        }
    }
    static constexpr const char* kActs[] = {"check", "peek", "refund", "release", "renew", "reset"};
    for (std::size_t i = 0; i < scenario.events.size(); ++i) {
        const Event& event = scenario.events[i];
        text +=
            fmt::format("{}: {} t {} key {}", i + 1, kActs[static_cast<std::size_t>(event.act)], event.t_us, event.key);
        if (event.act == Act::check || event.act == Act::peek) text += fmt::format(" cost {}", event.cost);
        if (event.target > 0) text += fmt::format(" of {}", event.target);
        text += fmt::format(" numbers {} rules", event.numbers);
        for (const std::size_t rule : event.rules) text += fmt::format(" {}", rule);
        text += "\n";
    }
    return text;
}

}  // namespace stint::inline v0::oracle
