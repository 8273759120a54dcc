// For tests: a store asked about one rule of one or more limits.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "stint/memory_store.hpp"

namespace stint::inline v0::store {

class Asking {
public:
    Asking(Store& store, std::vector<Limit> limits, std::optional<Ban> ban = std::nullopt) : store_(store) {
        for (const Limit& limit : limits) counters_.push_back({limit, counters_.size() + 1});
        if (ban) ban_ = BanCounter{*ban, 1000};
    }

    struct Result {
        bool allowed = false;
        std::vector<Answer> answers;
        bool banned = false;
        Duration banned_for{};
        [[nodiscard]] const Answer& operator[](std::size_t i) const { return answers[i]; }
    };

    Result check(std::string_view key, std::int64_t now_us, std::uint64_t cost = 1, std::uint64_t lease_id = 0,
                 bool peek = false) {
        Result result;
        result.answers.resize(counters_.size());
        Ask ask = make_ask(key, cost);
        ask.answers = result.answers;
        Check check;
        check.asks = {&ask, 1};
        check.lease_id = lease_id;
        check.peek = peek;
        store_.decide({&check, 1}, Instant{Duration{now_us}});
        result.allowed = check.allowed;
        result.banned = ask.banned;
        result.banned_for = ask.banned_for;
        return result;
    }
    Result peek(std::string_view key, std::int64_t now_us, std::uint64_t cost = 1) {
        return check(key, now_us, cost, 0, true);
    }
    void refund(const Answer& answer, std::int64_t now_us) {
        store_.refund(counters_[0].limit, answer, 0, Instant{Duration{now_us}});
    }
    void reset(std::string_view key) { store_.reset(make_ask(key, 0)); }

    /// Other numbers for the first limit, as an override or a reload has them.
    void change(const Limit& limit) { counters_[0].limit = limit; }

private:
    [[nodiscard]] Ask make_ask(std::string_view key, std::uint64_t cost) const {
        Ask ask;
        ask.key = key;
        ask.counters = counters_;
        ask.ban = ban_ ? &*ban_ : nullptr;
        ask.cost = cost;
        return ask;
    }

    Store& store_;
    std::vector<Counter> counters_;
    std::optional<BanCounter> ban_;
};

}  // namespace stint::inline v0::store
