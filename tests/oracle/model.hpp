// The reference model of a store: rules with several limits and bans, decided
// together, all consumed or none. Written from the definition alone, on lists
// of charges (history.hpp). Threads: none; one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oracle/history.hpp"
#include "stint/store.hpp"

namespace stint::inline v0::oracle {

/// One rule asked about one key. The limits' numbers may differ from call to call, their kinds must not.
struct Question {
    std::string rule;
    std::string key;
    std::vector<LimitSpec> limits;
    std::optional<Ban> ban;
    std::uint64_t cost = 1;
};

struct RuleReply {
    std::vector<Reply> limits;    ///< by the limits alone; a ban stands beside them
    std::vector<Charge> charges;  ///< one for each limit; 0 units: nothing
    std::int64_t banned_for_us = 0;
    bool banned = false;  ///< already before this check
};

struct Verdict {
    bool allowed = true;
    std::vector<RuleReply> rules;
};

class Model {
public:
    /// Decides all questions at `t_us` in one step. With `peek` nothing is changed.
    Verdict check(const std::vector<Question>& questions, std::int64_t t_us, bool peek = false,
                  std::uint64_t lease_id = 0);
    void refund(const Question& question, const RuleReply& reply, std::int64_t t_us);
    bool release(const Question& question, std::uint64_t lease_id, std::int64_t t_us);
    bool renew(const Question& question, std::uint64_t lease_id, std::int64_t t_us);
    void reset(const Question& question);

private:
    struct State {
        std::vector<std::unique_ptr<History>> histories;
        std::int64_t denials_from = 0;
        std::int64_t denials_until = 0;  // 0: no window of denials
        std::uint64_t denials = 0;
        std::int64_t banned_from = 0;
        std::int64_t banned_until = 0;
    };

    State& state_of(const Question& question);
    static std::int64_t banned_for(const State& state, std::int64_t t_us);
    static void count_denial(State& state, const Ban& ban, std::int64_t t_us);
    static void answer_denied(State& state, const Question& question, RuleReply& reply, std::int64_t t_us, bool peek);

    std::map<std::pair<std::string, std::string>, State> states_;
};

}  // namespace stint::inline v0::oracle
