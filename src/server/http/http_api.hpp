// What each path of the HTTP API does: a request in, a reply out, no bytes on
// the wire. Threads: one object belongs to one thread; all of them share one
// Limiter.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/http/http_options.hpp"
#include "server/http/json_body.hpp"
#include "stint/limiter.hpp"

namespace stint::inline v0::http {

enum class Method : std::uint8_t { get, head, post, other };

struct HttpRequest {
    Method method = Method::other;
    std::string_view target;  ///< as it stands in the request line
    std::string_view body;
};

struct HttpReply {
    int status = 200;
    std::string fields;  ///< header lines beyond the usual ones, each with its CRLF
    std::string body;    ///< JSON
};

/// A reply that waits for a store elsewhere.
struct LateReply {
    HttpReply reply;
    std::function<void()> arrived;  ///< called once the reply is there; empty: nobody waits for it any more
};
using LateReplyPtr = std::shared_ptr<LateReply>;

/// Runs a task on a thread. Callable from any thread, also when that thread has ended.
using Executor = std::function<void(std::function<void()>)>;

class HttpApi {
public:
    /// `ready`: what /readyz says. It and the limiter must outlive this object.
    /// `home`: the thread of the API; needed if the limiter's store can fail.
    HttpApi(Limiter& limiter, const HttpOptions& options, const std::atomic<bool>& ready, Executor home = {});

    /// Fills `reply`, whatever it held before. Returns: null; or the reply that will come instead.
    [[nodiscard]] LateReplyPtr handle(const HttpRequest& request, HttpReply& reply);

private:
    LateReplyPtr check(std::string_view text, bool peek, HttpReply& reply);
    LateReplyPtr check_late(const Body& body, bool peek, HttpReply& reply);
    LateReplyPtr lease(std::string_view text, bool renew, HttpReply& reply);
    LateReplyPtr reset(std::string_view text, HttpReply& reply);
    ChangeHandler show_late(std::string_view flag, const LateReplyPtr& late) const;
    void show(const Decision& decision, HttpReply& reply) const;

    Limiter& limiter_;
    const std::atomic<bool>& ready_;
    Executor home_;
    bool x_rate_limit_;
    BodyParser parser_;
};

/// Makes a reply with this status and {"error":"…"}.
void show_error(HttpReply& reply, int status, std::string_view message);

}  // namespace stint::inline v0::http
