// What each path of the HTTP API does: a request in, a reply out, no bytes on
// the wire. Threads: one object belongs to one thread; all of them share one
// Limiter.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/http/http_options.hpp"
#include "server/http/json_body.hpp"
#include "stint/limiter.hpp"

namespace stint::http {

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

class HttpApi {
public:
    /// `ready`: what /readyz says. It and the limiter must outlive this object.
    HttpApi(Limiter& limiter, const HttpOptions& options, const std::atomic<bool>& ready);

    /// Fills `reply`, whatever it held before.
    void handle(const HttpRequest& request, HttpReply& reply);

private:
    void check(std::string_view text, bool peek, HttpReply& reply);
    void lease(std::string_view text, bool renew, HttpReply& reply);
    void reset(std::string_view text, HttpReply& reply);
    void refuse_rule(const Body& body, HttpReply& reply) const;
    void show(const Decision& decision, HttpReply& reply) const;

    Limiter& limiter_;
    const std::atomic<bool>& ready_;
    bool x_rate_limit_;
    BodyParser parser_;
};

/// Makes a reply with this status and {"error":"…"}.
void show_error(HttpReply& reply, int status, std::string_view message);

}  // namespace stint::http
