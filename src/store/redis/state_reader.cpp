#include "store/redis/state_reader.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/uint128.hpp"
#include "core/sliding_window.hpp"
#include "store/redis/script_args.hpp"

namespace stint::inline v0::store::redis {
namespace {

constexpr std::size_t kHeaderBytes = 11;
constexpr std::size_t kTime = 7;  // bytes of a time
constexpr std::size_t kWidthMax = 8;

std::int64_t read_time(std::string_view bytes, std::size_t at) noexcept {
    return static_cast<std::int64_t>(read_number(bytes, at, kTime));
}

/// Returns: the number modulo 256^width.
std::uint64_t modulo(std::uint64_t number, std::size_t width) noexcept {
    return width >= kWidthMax ? number : number & ((std::uint64_t{1} << (8 * width)) - 1);
}

/// lua/timeline.lua.
struct Place {
    std::int64_t place = 0;
    std::uint64_t units = 0;
};

std::optional<std::vector<Place>> read_timeline(std::string_view body, std::int64_t newest) {
    constexpr std::size_t kWidths = kTime + 2;
    if (body.size() < kWidths) return std::nullopt;
    const auto place_width = static_cast<std::size_t>(read_number(body, kTime, 1));
    const auto total_width = static_cast<std::size_t>(read_number(body, kTime + 1, 1));
    const auto possible = [](std::size_t width) { return width >= 1 && width <= kWidthMax; };
    if (!possible(place_width) || !possible(total_width)) return std::nullopt;
    const std::size_t first = kWidths + total_width;
    const std::size_t size = place_width + total_width;
    if (body.size() <= first || (body.size() - first) % size != 0) return std::nullopt;
    std::vector<Place> places;
    std::uint64_t before = read_number(body, kWidths, total_width);
    for (std::size_t at = first; at < body.size(); at += size) {
        const std::uint64_t place = read_number(body, at, place_width);
        const std::uint64_t back = modulo(static_cast<std::uint64_t>(newest) - place, place_width);
        const std::uint64_t total = read_number(body, at + place_width, total_width);
        places.push_back({newest - static_cast<std::int64_t>(back), modulo(total - before, total_width)});
        before = total;
    }
    return places;
}

std::optional<LimitState> read_fixed_window(const Limit& limit, std::string_view body, std::int64_t now) {
    const bool calendar = limit.anchor() == Anchor::calendar;
    if (body.size() != kTime + 4 + (calendar ? kTime : 0)) return std::nullopt;
    LimitState state;
    const std::int64_t end = read_time(body, 0);
    const std::uint64_t count = read_number(body, kTime, 4);
    state.as_new_at = end;
    if (end > now && count > 0) {
        state.used = count;
        state.held.push_back({calendar ? read_time(body, kTime + 4) : end - limit.period().count(), end, count});
    }
    return state;
}

std::optional<LimitState> read_sliding_window(const Limit& limit, std::string_view body, std::int64_t now) {
    if (body.size() < kTime) return std::nullopt;
    const std::int64_t g = limit.part_us();
    const std::int64_t newest = read_time(body, 0) / g - limit.buckets() - 1;
    const auto places = read_timeline(body, newest);
    if (!places) return std::nullopt;
    const std::int64_t t = std::max(now, newest * g);
    const std::int64_t oldest = core::SlidingWindow::oldest_part(limit, t);
    LimitState state;
    state.as_new_at = core::SlidingWindow::part_gone_at(limit, newest);
    for (const auto& [part, units] : *places) {
        if (part < oldest) continue;
        state.held.push_back({part * g, core::SlidingWindow::part_gone_at(limit, part), units});
        if (limit.mode() == WindowMode::weighted && part == oldest) {
            const Uint128 weight = Uint128{units} * static_cast<Uint128>(g - t % g);
            state.used += static_cast<std::uint64_t>(divide_up<Uint128>(weight, static_cast<Uint128>(g)));
        } else {
            state.used += units;
        }
    }
    return state;
}

std::optional<LimitState> read_sliding_log(const Limit& limit, std::string_view body, std::int64_t now) {
    if (body.size() < kTime) return std::nullopt;
    const std::int64_t period = limit.period().count();
    const std::int64_t newest = read_time(body, 0) - period;
    const auto places = read_timeline(body, newest);
    if (!places) return std::nullopt;
    LimitState state;
    state.as_new_at = newest + period;
    for (const auto& [time, units] : *places) {
        if (time <= std::max(now, newest) - period) continue;
        state.held.push_back({time, time + period, units});
        state.used += units;
    }
    return state;
}

std::optional<LimitState> read_token_bucket(const Limit& limit, std::string_view body, std::int64_t now) {
    if (body.size() < kTime + 1) return std::nullopt;
    const auto width = static_cast<std::size_t>(read_number(body, kTime, 1));
    if (width > kTime || body.size() != kTime + 1 + 2 * width) return std::nullopt;
    std::int64_t full = read_time(body, 0);
    std::uint64_t rest = width > 0 ? read_number(body, kTime + 1, width) : 0;
    // A rest under another rate is rounded up to the next microsecond.
    const bool same_rate = width == 0 || read_number(body, kTime + 1 + width, width) == limit.token_us_den();
    if (!same_rate && rest > 0) {
        full += 1;
        rest = 0;
    }
    LimitState state;
    state.as_new_at = full + (rest > 0 ? 1 : 0);
    if (full < now || limit.token_us_num() == 0) return state;
    const Uint128 debt = Uint128{static_cast<std::uint64_t>(full - now)} * limit.token_us_den() + rest;
    const Uint128 missing = divide_up<Uint128>(debt, limit.token_us_num());
    state.used = static_cast<std::uint64_t>(std::min<Uint128>(missing, limit.ceiling()));
    return state;
}

std::optional<LimitState> read_concurrency(std::string_view body, std::int64_t now) {
    constexpr std::size_t kLease = 18;
    constexpr std::size_t kFirst = 2 * kTime;  // after the last end and how long a lease lasts
    if (body.size() < kFirst || (body.size() - kFirst) % kLease != 0) return std::nullopt;
    LimitState state;
    for (std::size_t at = kFirst; at < body.size(); at += kLease) {
        const HeldUnits lease{0, read_time(body, at + 8), read_number(body, at + 15, 3), read_number(body, at, 8)};
        if (lease.until <= now) continue;
        state.used += lease.units;
        state.as_new_at = std::max(state.as_new_at, lease.until);
        state.held.push_back(lease);
    }
    return state;
}

std::optional<LimitState> read_any(const Limit& limit, std::string_view body, std::int64_t now) {
    if (body.empty()) return LimitState{};
    switch (limit.algorithm()) {
        case Algorithm::fixed_window:
            return read_fixed_window(limit, body, now);
        case Algorithm::sliding_window:
            return read_sliding_window(limit, body, now);
        case Algorithm::sliding_log:
            return read_sliding_log(limit, body, now);
        case Algorithm::token_bucket:
            return read_token_bucket(limit, body, now);
        case Algorithm::concurrency:
            break;
    }
    return read_concurrency(body, now);
}

}  // namespace

Result<std::vector<StateBlock>> read_blocks(std::string_view value) {
    std::vector<StateBlock> blocks;
    while (!value.empty()) {
        if (value.size() < kHeaderBytes) return failure("ends within the header of a counter");
        const auto size = static_cast<std::size_t>(read_number(value, 8, 3));
        if (value.size() < kHeaderBytes + size) return failure("ends within a counter");
        blocks.push_back({read_number(value, 0, 8), value.substr(kHeaderBytes, size)});
        value.remove_prefix(kHeaderBytes + size);
    }
    return blocks;
}

Result<LimitState> read_limit_state(const Limit& limit, std::string_view body, std::int64_t now) {
    auto state = read_any(limit, body, now);
    if (!state) return failure(std::string{"no state of a "} + to_string(limit.algorithm()));
    return std::move(*state);
}

Result<LimitState> read_plain_counter(std::string_view value, std::int64_t end) {
    LimitState state;
    if (value.empty()) return state;
    const char* stop = value.data() + value.size();
    const auto [at, error] = std::from_chars(value.data(), stop, state.used);
    if (error != std::errc{} || at != stop) return failure("no decimal number");
    if (state.used == 0) return state;
    state.as_new_at = end;
    state.held.push_back({0, end, state.used});
    return state;
}

Result<core::BanState> read_ban_state(std::string_view body) {
    if (body.empty()) return core::BanState{};
    if (body.size() != kTime + 3) return failure("no state of a ban");
    return core::BanState{read_time(body, 0), read_number(body, kTime, 2), read_number(body, kTime + 2, 1) != 0};
}

}  // namespace stint::inline v0::store::redis
