// Drives sessions without sockets, for their tests and their fuzzer.
// Threads: one.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "server/http/http_session.hpp"
#include "stint/memory_store.hpp"

namespace stint::inline v0::http {

/// What sessions share, with all that is behind it; the clock stands still.
struct SessionHost {
    SessionHost(RuleSet rules, HttpOptions bounds) : options(bounds), limiter(store, std::move(rules)) {}

    HttpOptions options;
    MemoryStore store{
        {.max_memory = std::size_t{1} << 20, .clock = [] { return Instant{std::chrono::hours{400'000}}; }}};
    Limiter limiter;
    std::atomic<bool> ready{true};
    HttpApi api{limiter, options, ready};
    HttpShared shared{.api = api, .options = options, .date = {}};
};

/// One session, fed as a client would.
struct SessionDriver {
    explicit SessionDriver(SessionHost& server) : session(server.shared) {}

    /// Feeds `bytes` in pieces of at most `piece`, until the session closes. Returns: the replies.
    std::string send(std::string_view bytes, std::size_t piece = 4096) {
        std::string received;
        while (!bytes.empty() && !session.closing()) {
            const std::span<char> room = session.prepare();
            const std::size_t count = std::min({bytes.size(), piece, room.size()});
            std::copy_n(bytes.begin(), count, room.begin());
            bytes.remove_prefix(count);
            session.commit(count);
            for (;;) {
                received += session.output();
                session.output().clear();
                if (!session.more()) break;
                session.resume();
            }
        }
        return received;
    }

    HttpSession session;
};

}  // namespace stint::inline v0::http
