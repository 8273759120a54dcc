// One HTTP/1.1 connection without its socket: bytes in, bytes out. It parses
// all requests that have arrived, decides them and gathers their replies, so
// that the shell around it reads once and writes once. Since it does no I/O,
// tests can cut its input anywhere and fuzzers can feed it anything.
// Threads: belongs to the thread of its HttpApi.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "server/http/http_api.hpp"
#include "server/http/http_options.hpp"

namespace stint::inline v0::http {

/// What all sessions of one thread share; it outlives them.
struct HttpShared {
    HttpApi& api;
    const HttpOptions& options;
    std::string date;       ///< the whole Date line with its CRLF, or empty
    bool draining = false;  ///< close each connection after what it has asked for
};

class HttpSession {
public:
    explicit HttpSession(HttpShared& shared);
    ~HttpSession();

    /// Returns: room for bytes that arrive. Requires: no unwritten output.
    [[nodiscard]] std::span<char> prepare();
    /// Takes `count` bytes of that room as arrived, and works on them.
    void commit(std::size_t count);
    /// Goes on with a reply that came late, and with requests that were put
    /// off because enough replies were waiting.
    void resume();
    /// A request took too long: replies 408, after which the session closes.
    void time_out();

    /// Replies to be written; clear it when they are.
    [[nodiscard]] std::string& output() noexcept;
    /// Whether requests were put off, or a late reply is there: write the output, then resume().
    [[nodiscard]] bool more() const noexcept;
    /// Whether a reply is awaited from elsewhere: give no bytes until more(), which `arrived` tells.
    [[nodiscard]] bool waiting() const noexcept;
    void on_late_reply(std::function<void()> arrived);
    /// Whether the connection must be closed once the output is written.
    [[nodiscard]] bool closing() const noexcept;
    /// Whether a request has begun and is not complete.
    [[nodiscard]] bool under_way() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace stint::inline v0::http
