#include "store/memory/together.hpp"

#include <sched.h>

#include <algorithm>

namespace stint::inline v0 {
namespace {

using store::Line;

/// A ban's word: 15 bits of denials, and whether the ban is on.
constexpr std::uint64_t kBannedFlag = 0x8000;
static_assert(kBanDenialsMax < kBannedFlag);

}  // namespace

MemoryStore::Impl::Together::Together(Impl& store, Check& check, const Digest* digests, std::int64_t now)
    : store_(store), check_(check), now_(now) {
    for (Ask& ask : check.asks) {
        ask.banned = false;
        ask.banned_for = Duration{0};
        for (std::size_t i = 0; i < ask.counters.size(); ++i) {
            parts_.push_back({&ask, &ask.counters[i].limit, &ask.answers[i], *digests++, {}, {}});
        }
        if (ask.ban != nullptr) parts_.push_back({&ask, nullptr, nullptr, *digests++, {}, {}});
    }
}

void MemoryStore::Impl::Together::decide() {
    lock_all();
    look_at_bans();
    look_at_limits();
    for (Part& part : parts_) {
        if (part.limit != nullptr) settle(part);
    }
    if (check_.peek) return;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const bool counts = parts_[i].limit == nullptr && !parts_[i].ask->banned;
        if (counts && denied_by_its_limits(i)) count_denial(parts_[i]);
    }
}

/// Locks the home lines of all keys, in address order, and the lines in which
/// their states are. All threads take home lines in this order and wait for no
/// other line, so none can wait for another in a circle.
void MemoryStore::Impl::Together::lock_all() {
    boost::container::small_vector<Line*, 8> homes;
    for (const Part& part : parts_) homes.push_back(&store_.table_.home(part.digest));
    std::ranges::sort(homes);
    while (true) {
        for (Line* home : homes) locks_.lock(*home);
        if (try_lock_slots()) return;
        locks_.unlock_all();
        sched_yield();
    }
}

bool MemoryStore::Impl::Together::try_lock_slots() {
    pinned_.clear();
    for (Part& part : parts_) {
        part.slot = store_.table_.find(part.digest);
        if (!part.slot) continue;
        if (!locks_.try_lock(*part.slot.line)) return false;
        if (!store::print::matches(part.slot.print(), part.digest)) return false;
        pinned_.insert(part.slot);
    }
    return true;
}

void MemoryStore::Impl::Together::look_at_bans() {
    for (Part& part : parts_) {
        if (part.limit == nullptr) {
            part.ask->banned_for = Duration{core::banned_for(part.ask->ban->ban, ban_state_of(part), now_)};
            part.ask->banned = part.ask->banned_for.count() > 0;
        }
    }
}

void MemoryStore::Impl::Together::look_at_limits() {
    check_.allowed = true;
    for (Part& part : parts_) {
        if (part.limit == nullptr) {
            check_.allowed = check_.allowed && !part.ask->banned;
            continue;
        }
        part.seen = store::look(*part.limit, state_of(part), store_.epoch(), now_, part.ask->cost);
        check_.allowed = check_.allowed && part.seen.fits;
    }
}

/// Consumes from one limit, if the check as a whole does, and reports.
void MemoryStore::Impl::Together::settle(Part& part) {
    const Limit& limit = *part.limit;
    const std::uint64_t cost = part.ask->cost;
    Answer& answer = *part.answer;
    answer.counter.digest = part.digest;
    answer.charged = 0;
    const bool consumes = !check_.peek && cost > 0 && (check_.allowed || limit.count_denied());
    if (consumes && claim(part)) {
        store_.consume(limit, part.slot, part.seen.taken_at, cost, check_.lease_id, part.seen.fits, answer);
        if (!check_.allowed) {
            answer.charged = 0;
            // It let the check pass and was charged for a denial by another:
            // the wait must count that charge.
            const store::Look after = store::look(limit, state_of(part), store_.epoch(), now_, cost);
            if (answer.allowed && !after.fits) {
                answer.retry_after = Duration{
                    store::report(limit, state_of(part), store_.epoch(), part.seen.taken_at, cost, false).retry_us};
            }
        }
        return;
    }
    const core::Outcome outcome =
        store::report(limit, state_of(part), store_.epoch(), part.seen.taken_at, cost, part.seen.fits);
    answer.allowed = part.seen.fits;
    answer.remaining = outcome.remaining;
    answer.retry_after = Duration{outcome.retry_us};
    answer.reset_after = Duration{outcome.reset_us};
}

void MemoryStore::Impl::Together::count_denial(Part& part) {
    const Ban& ban = part.ask->ban->ban;
    const core::BanState next = core::after_denial(ban, ban_state_of(part), now_);
    if (next.banned) part.ask->banned_for = ban.duration;
    if (!claim(part)) return;
    const std::uint64_t payload = next.count | (next.banned ? kBannedFlag : 0);
    store_.writer().put(part.slot, next.end - 1 - store_.epoch(), payload, next.end, next.end);
    const store::Level level =
        next.banned ? store::Level::at_limit : store::level_of(ban.denials - next.count, ban.denials);
    part.slot.set_print(store::print::make(part.digest, level, 0));
}

/// Returns: whether the part has a slot now.
bool MemoryStore::Impl::Together::claim(Part& part) {
    if (part.slot) return true;
    part.slot = store_.slots_.claim(part.digest, now_ - store_.epoch(), locks_, pinned_);
    if (part.slot) pinned_.insert(part.slot);
    return static_cast<bool>(part.slot);
}

store::StateWord MemoryStore::Impl::Together::state_of(const Part& part) const noexcept {
    if (!part.slot) return {};
    return {part.slot.word(), store::print::tag(part.slot.print())};
}

core::BanState MemoryStore::Impl::Together::ban_state_of(const Part& part) const noexcept {
    const core::FixedWindow::State stored = store::window_state(state_of(part), store_.epoch());
    return {stored.end, stored.count & ~kBannedFlag, (stored.count & kBannedFlag) != 0};
}

/// The part of a ban follows those of its rule's limits.
bool MemoryStore::Impl::Together::denied_by_its_limits(std::size_t ban_part) const noexcept {
    const Ask* ask = parts_[ban_part].ask;
    for (std::size_t i = ban_part; i-- > 0 && parts_[i].ask == ask;) {
        if (!parts_[i].seen.fits) return true;
    }
    return false;
}

}  // namespace stint::inline v0
