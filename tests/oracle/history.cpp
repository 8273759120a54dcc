#include "oracle/history.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "oracle/calendar.hpp"
#include "oracle/wide.hpp"

namespace stint::inline v0::oracle {
namespace {

constexpr std::uint64_t kCountMax = 4'294'967'295;  // where counts stop

struct Entry {
    std::int64_t at = 0;  // a moment, the number of a part, or the end of a lease
    std::uint64_t units = 0;
    std::uint64_t lease_id = 0;
};

std::uint64_t sum(const std::vector<Entry>& entries) {
    std::uint64_t total = 0;
    for (const Entry& entry : entries) total += entry.units;
    return total;
}

std::int64_t newest(const std::vector<Entry>& entries) {
    std::int64_t latest = 0;
    for (const Entry& entry : entries) latest = std::max(latest, entry.at);
    return latest;
}

std::uint64_t less(std::uint64_t most, std::uint64_t used) {
    return most > used ? most - used : 0;
}

/// Takes up to `units` from the entries with this mark; empty ones vanish.
void take_back(std::vector<Entry>& entries, std::int64_t at, std::uint64_t units) {
    for (Entry& entry : entries) {
        if (entry.at != at) continue;
        const std::uint64_t part = std::min(entry.units, units);
        entry.units -= part;
        units -= part;
    }
    std::erase_if(entries, [](const Entry& entry) { return entry.units == 0; });
}

class FixedWindow final : public History {
public:
    std::uint64_t room(const LimitSpec& spec, std::int64_t t, std::int64_t wait) const override {
        return taken(t) + wait < end_ ? less(spec.limit, sum(charges_)) : spec.limit;
    }
    std::int64_t reset_after(const LimitSpec&, std::int64_t t) const override {
        return std::max<std::int64_t>(end_ - taken(t), 0);
    }
    Charge charge(const LimitSpec& spec, std::int64_t t, std::uint64_t units, std::uint64_t) override {
        const std::int64_t at = taken(t);
        if (at >= end_) open(spec, at);
        charges_.push_back({at, std::min(units, kCountMax - sum(charges_)), 0});
        return {end_, units, 0};
    }
    void charge_denied(const LimitSpec& spec, std::int64_t t, std::uint64_t units) override {
        charge(spec, t, units, 0);
    }
    void refund(const LimitSpec&, std::int64_t, const Charge& charge) override {
        if (charge.moment != end_) return;
        std::uint64_t units = charge.units;
        while (units > 0 && !charges_.empty()) {
            const std::uint64_t part = std::min(units, charges_.back().units);
            units -= part;
            if ((charges_.back().units -= part) == 0) charges_.pop_back();
        }
        if (charges_.empty()) end_ = 0;  // as if never used
    }

private:
    std::int64_t taken(std::int64_t t) const { return t < end_ ? std::max(t, start_) : t; }
    void open(const LimitSpec& spec, std::int64_t at) {
        charges_.clear();
        if (spec.anchor == Anchor::calendar) {
            const CalendarWindow window =
                calendar_window(spec.unit.value_or(CalendarUnit::day), spec.timezone.value_or("UTC"), at);
            start_ = window.start_us;
            end_ = window.end_us;
            return;
        }
        const std::int64_t period = spec.per->count();
        start_ = spec.anchor == Anchor::clock ? at / period * period : at;
        end_ = start_ + period;
    }

    std::int64_t start_ = 0;
    std::int64_t end_ = 0;  // 0: no window
    std::vector<Entry> charges_;
};

class SlidingWindow final : public History {
public:
    std::uint64_t room(const LimitSpec& spec, std::int64_t t, std::int64_t wait) const override {
        const std::int64_t length = part_us(spec);
        const std::int64_t at = taken(spec, t) + wait;
        const std::int64_t oldest = at / length - spec.buckets;
        const Wide oldest_share = spec.mode == WindowMode::weighted ? length - at % length : length;
        Wide used = 0;  // in units times us
        for (const Entry& part : parts_) {
            if (part.at > oldest) used += Wide{part.units} * length;
            if (part.at == oldest) used += Wide{part.units} * oldest_share;
        }
        const Wide left = Wide{spec.limit} - ceil_div(used, length);
        return left > 0 ? static_cast<std::uint64_t>(left) : 0;
    }
    std::int64_t reset_after(const LimitSpec& spec, std::int64_t t) const override {
        return std::max<std::int64_t>(fresh_at(spec) - taken(spec, t), 0);
    }
    Charge charge(const LimitSpec& spec, std::int64_t t, std::uint64_t units, std::uint64_t) override {
        const std::int64_t now = taken(spec, t) / part_us(spec);
        std::erase_if(parts_, [&](const Entry& part) { return part.at < now - spec.buckets; });
        auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Entry& entry) { return entry.at == now; });
        if (part == parts_.end()) part = parts_.insert(parts_.end(), {now, 0, 0});
        part->units = std::min(part->units + units, kCountMax);
        return {now, units, 0};
    }
    void charge_denied(const LimitSpec& spec, std::int64_t t, std::uint64_t units) override {
        charge(spec, t, units, 0);
    }
    void refund(const LimitSpec&, std::int64_t, const Charge& charge) override {
        take_back(parts_, charge.moment, charge.units);
    }

private:
    static std::int64_t part_us(const LimitSpec& spec) {
        return static_cast<std::int64_t>(ceil_div(spec.per->count(), spec.buckets));
    }
    std::int64_t fresh_at(const LimitSpec& spec) const {
        return parts_.empty() ? 0 : (newest(parts_) + spec.buckets + 1) * part_us(spec);
    }
    std::int64_t taken(const LimitSpec& spec, std::int64_t t) const {
        return t < fresh_at(spec) ? std::max(t, newest(parts_) * part_us(spec)) : t;
    }

    std::vector<Entry> parts_;
};

class SlidingLog final : public History {
public:
    std::uint64_t room(const LimitSpec& spec, std::int64_t t, std::int64_t wait) const override {
        const std::int64_t at = taken(spec, t) + wait;
        std::uint64_t used = 0;
        for (const Entry& entry : log_) {
            if (entry.at > at - spec.per->count()) used += entry.units;
        }
        return less(spec.limit, used);
    }
    std::int64_t reset_after(const LimitSpec& spec, std::int64_t t) const override {
        return std::max<std::int64_t>(fresh_at(spec) - taken(spec, t), 0);
    }
    Charge charge(const LimitSpec& spec, std::int64_t t, std::uint64_t units, std::uint64_t) override {
        const std::int64_t at = taken(spec, t);
        std::erase_if(log_, [&](const Entry& entry) { return entry.at <= at - spec.per->count(); });
        log_.push_back({at, units, 0});
        return {at, units, 0};
    }
    void charge_denied(const LimitSpec& spec, std::int64_t t, std::uint64_t units) override {
        if (spec.limit == 0) return;  // nothing is ever granted, so nothing has to be known
        const std::uint64_t counted = std::min(units, spec.limit);
        charge(spec, t, counted, 0);
        // Keep the newest N units; a lower N than that of the grants forgives none of them.
        const std::uint64_t kept = std::max(spec.limit, sum(log_) - counted);
        while (sum(log_) > kept) {
            Entry& oldest = log_.front();
            const std::uint64_t excess = std::min(oldest.units, sum(log_) - kept);
            if ((oldest.units -= excess) == 0) log_.erase(log_.begin());
        }
        std::erase_if(log_, [](const Entry& entry) { return entry.units == 0; });
    }
    void refund(const LimitSpec&, std::int64_t, const Charge& charge) override {
        take_back(log_, charge.moment, charge.units);
    }

private:
    std::int64_t fresh_at(const LimitSpec& spec) const { return log_.empty() ? 0 : newest(log_) + spec.per->count(); }
    std::int64_t taken(const LimitSpec& spec, std::int64_t t) const {
        return t < fresh_at(spec) ? std::max(t, newest(log_)) : t;
    }

    std::vector<Entry> log_;  // in the order of time
};

class TokenBucket final : public History {
public:
    std::uint64_t room(const LimitSpec& spec, std::int64_t t, std::int64_t wait) const override {
        if (spec.limit == 0) return 0;
        const Price price{spec};
        const Wide debt = std::max<Wide>(this->debt(spec, t) - Wide{wait} * price.den, 0);
        return static_cast<std::uint64_t>((Wide{ceiling(spec)} * price.num - debt) / price.num);
    }
    std::int64_t reset_after(const LimitSpec& spec, std::int64_t t) const override {
        if (spec.limit == 0) return static_cast<std::int64_t>(std::max<Wide>(ceil_div(full_, den_) - t, 0));
        return static_cast<std::int64_t>(ceil_div(debt(spec, t), Price{spec}.den));
    }
    Charge charge(const LimitSpec& spec, std::int64_t t, std::uint64_t units, std::uint64_t) override {
        const Price price{spec};
        full_ = std::max(full_in(price), Wide{t} * price.den) + Wide{units} * price.num;
        den_ = price.den;
        return {static_cast<std::int64_t>(ceil_div(full_, den_)), units, 0};
    }
    void charge_denied(const LimitSpec& spec, std::int64_t t, std::uint64_t units) override {
        if (spec.limit == 0) return;  // no debt can be told in time
        const Price price{spec};
        const Wide wanted = std::min(debt(spec, t) + Wide{units} * price.num, Wide{ceiling(spec)} * price.num);
        full_ = Wide{t} * price.den + wanted;  // stops at the capacity, also where a clock stepped back
        den_ = price.den;
    }
    void refund(const LimitSpec& spec, std::int64_t t, const Charge& charge) override {
        if (spec.limit == 0 || t >= charge.moment) return;
        const Price price{spec};
        const Wide now = Wide{t} * price.den;
        const Wide full = full_in(price);
        if (full <= now) return;
        // What has flowed back of this charge is not given back a second time.
        const Wide owed = Wide{charge.moment} * price.den - now;
        full_ = std::max(full - std::min(owed, Wide{charge.units} * price.num), now);
        den_ = price.den;
    }

private:
    /// A token's worth in us, in lowest terms.
    struct Price {
        explicit Price(const LimitSpec& spec) {
            const auto period = static_cast<std::uint64_t>(spec.per->count());
            const std::uint64_t common = std::gcd(spec.limit, period);
            num = period / common;
            den = spec.limit / common;
        }
        Wide num = 0;
        Wide den = 1;
    };
    /// Returns: the time of fullness in 1/den us; one of another denominator is rounded up to the next us.
    Wide full_in(const Price& price) const { return price.den == den_ ? full_ : ceil_div(full_, den_) * price.den; }
    /// Returns: what is missing at `t`, in 1/den us, never more than everything.
    Wide debt(const LimitSpec& spec, std::int64_t t) const {
        const Price price{spec};
        return std::clamp<Wide>(full_in(price) - Wide{t} * price.den, 0, Wide{ceiling(spec)} * price.num);
    }

    Wide full_ = 0;
    Wide den_ = 1;
};

class Leases final : public History {
public:
    std::uint64_t room(const LimitSpec& spec, std::int64_t t, std::int64_t wait) const override {
        std::uint64_t held = 0;
        for (const Entry& lease : leases_) {
            if (lease.at > t + wait) held += lease.units;
        }
        return less(spec.limit, held);
    }
    std::int64_t reset_after(const LimitSpec&, std::int64_t t) const override {
        return std::max<std::int64_t>(newest(leases_) - t, 0);
    }
    Charge charge(const LimitSpec& spec, std::int64_t t, std::uint64_t units, std::uint64_t lease_id) override {
        std::erase_if(leases_, [&](const Entry& lease) { return lease.at <= t; });
        leases_.push_back({t + spec.lease->count(), units, lease_id});
        return {leases_.back().at, units, lease_id};
    }
    void charge_denied(const LimitSpec&, std::int64_t, std::uint64_t) override {}
    void refund(const LimitSpec&, std::int64_t t, const Charge& charge) override { release(t, charge.lease_id); }
    bool release(std::int64_t t, std::uint64_t lease_id) override {
        bool held = false;
        std::erase_if(leases_, [&](const Entry& lease) {
            held = held || (lease.lease_id == lease_id && lease.at > t);
            return lease.lease_id == lease_id;
        });
        return held;
    }
    bool renew(std::int64_t t, std::uint64_t lease_id, std::int64_t lease_us) override {
        bool held = false;
        for (Entry& lease : leases_) {
            if (lease.lease_id != lease_id || lease.at <= t) continue;
            lease.at = std::max(lease.at, t + lease_us);  // a clock that stepped back shortens nothing
            held = true;
        }
        return held;
    }

private:
    std::vector<Entry> leases_;  // `at` is the end
};

}  // namespace

std::unique_ptr<History> History::make(const LimitSpec& spec) {
    switch (spec.algorithm) {
        case Algorithm::fixed_window:
            return std::make_unique<FixedWindow>();
        case Algorithm::sliding_window:
            return std::make_unique<SlidingWindow>();
        case Algorithm::sliding_log:
            return std::make_unique<SlidingLog>();
        case Algorithm::token_bucket:
            return std::make_unique<TokenBucket>();
        case Algorithm::concurrency:
            return std::make_unique<Leases>();
    }
    return nullptr;
}

bool History::release(std::int64_t, std::uint64_t) {
    return false;
}
bool History::renew(std::int64_t, std::uint64_t, std::int64_t) {
    return false;
}

std::uint64_t ceiling(const LimitSpec& spec) {
    return spec.algorithm == Algorithm::token_bucket ? spec.capacity.value_or(spec.limit) : spec.limit;
}

Reply History::look(const LimitSpec& spec, std::int64_t t, std::uint64_t cost) const {
    Reply reply;
    reply.remaining = room(spec, t, 0);
    reply.reset_after_us = reset_after(spec, t);
    reply.allowed = cost <= reply.remaining;
    if (reply.allowed) return reply;
    if (spec.limit == 0 || cost > ceiling(spec)) {
        reply.retry_after_us = kNever.count();
        return reply;
    }
    // Nobody else comes, so room only grows; at the reset it is everything.
    std::int64_t denied = 0;
    std::int64_t passes = reply.reset_after_us;
    while (passes - denied > 1) {
        const std::int64_t wait = denied + (passes - denied) / 2;
        (room(spec, t, wait) >= cost ? passes : denied) = wait;
    }
    reply.retry_after_us = passes;
    return reply;
}

}  // namespace stint::inline v0::oracle
