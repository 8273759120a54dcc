#include "store/redis/error_reply.hpp"

#include <array>
#include <charconv>

namespace stint::inline v0::store::redis {
namespace {

constexpr unsigned kSlots = 16'384;

struct Known {
    std::string_view code;
    ErrorMeaning meaning;
};

// A server that loads, waits for its primary or is busy with a script answers so for seconds: a new connection, which
// begins with a command that it refuses alike, finds out when that is over, and the circuit is open until then.
constexpr std::array kKnown{
    Known{"NOSCRIPT", {Remedy::load_scripts, StoreError::unavailable, false}},
    Known{"READONLY", {Remedy::reconnect, StoreError::unavailable, true}},
    Known{"MOVED", {Remedy::moved, StoreError::unavailable, false}},
    Known{"ASK", {Remedy::ask, StoreError::unavailable, false}},
    Known{"TRYAGAIN", {Remedy::try_again, StoreError::unavailable, false}},
    Known{"LOADING", {Remedy::fail, StoreError::unavailable, true}},
    Known{"MASTERDOWN", {Remedy::fail, StoreError::unavailable, true}},
    Known{"CLUSTERDOWN", {Remedy::fail, StoreError::unavailable, true}},
    Known{"BUSY", {Remedy::fail, StoreError::unavailable, true}},
    Known{"NOREPLICAS", {Remedy::fail, StoreError::unavailable, false}},
    Known{"NOAUTH", {Remedy::fail, StoreError::refused, true}},
};

template <typename Number>
bool read_whole(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

}  // namespace

std::string shown(std::string_view error) {
    return std::string{error.substr(0, error.find(", with args beginning with"))};
}

std::string_view code_of(std::string_view error) {
    // Before Redis 7: `ERR Error running script (call to f_…): @user_script:12: -READONLY You can't …`
    constexpr std::string_view kWrapped = "ERR Error running script";
    constexpr std::string_view kInside = ": -";
    if (error.starts_with(kWrapped)) {
        if (const auto at = error.find(kInside); at != std::string_view::npos) error.remove_prefix(at + kInside.size());
    }
    return error.substr(0, error.find(' '));
}

ErrorMeaning meaning_of(std::string_view error) {
    const std::string_view code = code_of(error);
    for (const Known& known : kKnown) {
        if (known.code == code) return known.meaning;
    }
    return {};
}

std::optional<Redirect> read_redirect(std::string_view error) {
    const auto code_end = error.find(' ');
    if (code_end == std::string_view::npos) return std::nullopt;
    error.remove_prefix(code_end + 1);
    const auto slot_end = error.find(' ');
    const auto host_end = error.rfind(':');
    if (slot_end == std::string_view::npos || host_end == std::string_view::npos || host_end < slot_end) {
        return std::nullopt;
    }
    Redirect redirect;
    if (!read_whole(error.substr(0, slot_end), redirect.slot) || redirect.slot >= kSlots) return std::nullopt;
    if (!read_whole(error.substr(host_end + 1), redirect.to.port)) return std::nullopt;
    redirect.to.host = error.substr(slot_end + 1, host_end - slot_end - 1);
    if (redirect.to.host == "?") redirect.to.host.clear();  // the node does not know its own name
    return redirect;
}

}  // namespace stint::inline v0::store::redis
