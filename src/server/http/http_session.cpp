#include "server/http/http_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/assert.hpp"

namespace stint::inline v0::http {
namespace {

namespace beast_http = boost::beast::http;
using BeastError = boost::beast::error_code;
using BeastText = boost::beast::string_view;

constexpr std::size_t kReadBytes = 4096;
/// No more requests are decided while this much output waits.
constexpr std::size_t kOutputBytesMax = std::size_t{256} << 10;
/// Memory that a connection keeps for its next body.
constexpr std::size_t kKeptBytesMax = std::size_t{16} << 10;
/// An empty line or two before a request is forgiven (RFC 9112, 2.2).
constexpr std::size_t kEmptyLineBytesMax = 4;

std::string_view reason_of(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 400:
            return "Bad Request";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 413:
            return "Content Too Large";
        case 417:
            return "Expectation Failed";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 501:
            return "Not Implemented";
        case 503:
            return "Service Unavailable";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return "Error";
    }
}

/// What one request says, gathered by the parser. The strings keep their
/// memory from one request to the next.
struct Incoming {
    Method method = Method::other;
    int version = 11;
    int hosts = 0;
    bool continue_expected = false;
    bool other_expected = false;
    bool other_coding = false;  // a transfer coding beyond "chunked"
    bool chunked = false;
    std::string target;
    std::string body;

    void clear() {
        method = Method::other;
        version = 11;
        hosts = 0;
        continue_expected = other_expected = other_coding = chunked = false;
        target.clear();
        body.clear();
    }
};

/// Beast's parser with nothing behind it: no message object, no field list.
class RequestParser final : public beast_http::basic_parser<true> {
public:
    RequestParser(Incoming& incoming, const HttpOptions& options) : incoming_(incoming) {
        // The session bounds headers: the parser's own bound knows nothing of
        // chunks, and it counts the request line and the fields apart.
        header_limit(std::numeric_limits<std::uint32_t>::max());
        body_limit(options.body_bytes_max);
    }

private:
    void on_request_impl(beast_http::verb verb, BeastText, BeastText target, int version, BeastError&) override {
        switch (verb) {
            case beast_http::verb::get:
                incoming_.method = Method::get;
                break;
            case beast_http::verb::head:
                incoming_.method = Method::head;
                break;
            case beast_http::verb::post:
                incoming_.method = Method::post;
                break;
            default:
                incoming_.method = Method::other;
                break;
        }
        incoming_.target.assign(target.data(), target.size());
        incoming_.version = version;
    }

    void on_field_impl(beast_http::field name, BeastText, BeastText value, BeastError&) override {
        using boost::beast::iequals;
        switch (name) {
            case beast_http::field::host:
                ++incoming_.hosts;
                break;
            case beast_http::field::expect:
                (iequals(value, "100-continue") ? incoming_.continue_expected : incoming_.other_expected) = true;
                break;
            case beast_http::field::transfer_encoding:
                (iequals(value, "chunked") ? incoming_.chunked : incoming_.other_coding) = true;
                break;
            default:
                break;
        }
    }

    void on_response_impl(int, BeastText, int, BeastError&) override {}
    void on_header_impl(BeastError&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, BeastError&) override {}
    std::size_t on_body_impl(BeastText bytes, BeastError&) override {
        incoming_.body.append(bytes.data(), bytes.size());
        return bytes.size();
    }
    void on_chunk_header_impl(std::uint64_t, BeastText, BeastError&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, BeastText bytes, BeastError&) override {
        incoming_.body.append(bytes.data(), bytes.size());
        return bytes.size();
    }
    void on_finish_impl(BeastError&) override {}

    Incoming& incoming_;
};

}  // namespace

class HttpSession::Impl {
public:
    explicit Impl(HttpShared& shared) : shared_(shared) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        if (late_) late_->arrived = nullptr;
    }

    std::span<char> prepare() {
        if (begin_ == end_) begin_ = end_ = 0;
        if (input_.size() - end_ < kReadBytes) {
            // What is left unparsed moves to the front; it is bounded by room_for_header().
            if (begin_ < end_) std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
            if (input_.size() - end_ < kReadBytes) input_.resize(end_ + kReadBytes);
        }
        return std::span{input_}.subspan(end_);
    }

    void commit(std::size_t count) {
        STINT_DASSERT(count <= input_.size() - end_);
        end_ += count;
        resume();
    }

    void resume() {
        more_ = false;
        if (late_arrived_) take_late_reply();
        std::size_t decided = 0;
        while (!closing_ && !late_ && step()) {
            if (parser_ || late_) continue;
            if (++decided >= shared_.options.pipelined_max || output_.size() >= kOutputBytesMax) {
                more_ = pending() > 0;
                break;
            }
        }
        if (closing_) begin_ = end_;
    }

    void time_out() { fail(408, "the request took too long"); }

    [[nodiscard]] std::string& output() { return output_; }
    [[nodiscard]] bool more() const { return (more_ || late_arrived_) && !closing_; }
    [[nodiscard]] bool waiting() const { return late_ && !late_arrived_; }
    void on_late_reply(std::function<void()> arrived) { on_late_reply_ = std::move(arrived); }
    [[nodiscard]] bool closing() const { return closing_; }
    [[nodiscard]] bool under_way() const { return parser_.has_value(); }

private:
    [[nodiscard]] std::size_t pending() const { return end_ - begin_; }

    /// Parses a piece: a header, or as much of a body as is there.
    /// Returns: whether to go on; false waits for more bytes.
    bool step() {
        if (!parser_ && !begin_request()) return false;
        if (pending() == 0) return false;
        const bool in_header = !parser_->is_header_done();
        const std::size_t room = room_for_header();
        const std::size_t given = std::min(pending(), room);
        BeastError ec;
        const std::size_t used = parser_->put(boost::asio::const_buffer(input_.data() + begin_, given), ec);
        begin_ += used;
        if (in_header) header_bytes_ += used;
        if (ec == beast_http::error::need_more) {
            if (given < room) return false;
            return fail(431, in_header ? "the header is too large" : "the chunk's header or the trailer is too large");
        }
        if (ec) return fail_for(ec);
        if (in_header && !header_fits()) return false;
        if (parser_->is_done()) answer();
        return true;
    }

    bool begin_request() {
        while (pending() > 0 && (input_[begin_] == '\r' || input_[begin_] == '\n')) {
            ++begin_;
            if (++empty_line_bytes_ > kEmptyLineBytesMax) {
                fail(400, "empty lines where a request is expected");
                return false;
            }
        }
        if (pending() == 0) return false;
        empty_line_bytes_ = 0;
        header_bytes_ = 0;
        incoming_.clear();
        parser_.emplace(incoming_, shared_.options);
        return true;
    }

    /// Returns: how many bytes the parser is given at most. It asks for more
    /// only within a header, a chunk's header or the trailer: whatever is not
    /// complete with so many bytes is too large, however they were cut.
    [[nodiscard]] std::size_t room_for_header() const {
        return shared_.options.header_bytes_max - (parser_->is_header_done() ? 0 : header_bytes_);
    }

    /// Looks at a header that is complete. Returns: whether its request goes on.
    bool header_fits() {
        if (incoming_.other_coding) return fail(501, "the only transfer coding known here is \"chunked\"");
        if (incoming_.chunked && incoming_.version < 11) return fail(400, "HTTP/1.0 has no transfer codings");
        if (incoming_.hosts > 1 || (incoming_.hosts == 0 && incoming_.version >= 11)) {
            return fail(400, "exactly one Host field is expected");
        }
        if (incoming_.other_expected) return fail(417, "the only expectation known here is \"100-continue\"");
        const bool body_is_coming = !parser_->is_done() && pending() == 0;
        if (incoming_.continue_expected && incoming_.version >= 11 && body_is_coming) {
            output_ += "HTTP/1.1 100 Continue\r\n\r\n";
        }
        return true;
    }

    void answer() {
        const HttpRequest request{incoming_.method, incoming_.target, incoming_.body};
        keep_alive_ = parser_->keep_alive();
        parser_.reset();
        late_ = shared_.api.handle(request, reply_);
        if (!late_) return finish_answer();
        late_->arrived = [this] {
            late_arrived_ = true;
            if (on_late_reply_) on_late_reply_();
        };
    }

    void take_late_reply() {
        late_arrived_ = false;
        reply_ = std::move(std::exchange(late_, nullptr)->reply);
        finish_answer();
    }

    void finish_answer() {
        if (incoming_.body.capacity() > kKeptBytesMax) std::string{}.swap(incoming_.body);
        closing_ = !keep_alive_ || (shared_.draining && pending() == 0);
        write_reply(incoming_.method == Method::head);
    }

    bool fail_for(const BeastError& ec) {
        if (ec == beast_http::error::header_limit) return fail(431, "a folded field is too large");
        if (ec == beast_http::error::body_limit) {
            return fail(413, fmt::format("the body is larger than {} bytes", shared_.options.body_bytes_max));
        }
        if (ec == beast_http::error::bad_version && other_version()) {
            return fail(505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
        }
        return fail(400, fmt::format("not valid HTTP: {}", ec.message()));
    }

    /// Returns: whether the request line names a version that is not spoken
    /// here; the parser says "bad version" for a bad end of the line too. It
    /// says so when method, target and the eight bytes of a version are there.
    [[nodiscard]] bool other_version() const {
        const std::string_view rest{input_.data() + begin_, pending()};
        const std::size_t target = rest.find(' ') + 1;
        const std::string_view version = rest.substr(rest.find(' ', target) + 1, std::size("HTTP/1.1") - 1);
        return version.starts_with("HTTP/") && version != "HTTP/1.1" && version != "HTTP/1.0";
    }

    /// Where the request ends is not known any more: replies and closes. Returns: false.
    bool fail(int status, std::string_view message) {
        parser_.reset();
        reply_.fields.clear();
        show_error(reply_, status, message);
        closing_ = true;
        write_reply(incoming_.method == Method::head);
        return false;
    }

    void write_reply(bool head_only) {
        const fmt::format_int status{reply_.status};
        const fmt::format_int length{reply_.body.size()};
        output_.append("HTTP/1.1 ")
            .append(status.data(), status.size())
            .append(1, ' ')
            .append(reason_of(reply_.status));
        output_.append("\r\nContent-Type: application/json\r\nContent-Length: ").append(length.data(), length.size());
        output_.append("\r\n").append(shared_.date).append(reply_.fields);
        if (closing_) {
            output_.append("Connection: close\r\n");
        } else if (incoming_.version < 11) {
            output_.append("Connection: keep-alive\r\n");
        }
        output_.append("\r\n");
        if (!head_only) output_.append(reply_.body);
    }

    HttpShared& shared_;
    LateReplyPtr late_;  // to the last request that was read, until it is written
    std::function<void()> on_late_reply_;
    bool late_arrived_ = false;
    bool keep_alive_ = false;  // after that request
    std::vector<char> input_;  // arrived bytes lie in [begin_, end_)
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t header_bytes_ = 0;
    std::size_t empty_line_bytes_ = 0;
    Incoming incoming_;
    std::optional<RequestParser> parser_;
    HttpReply reply_;
    std::string output_;
    bool more_ = false;
    bool closing_ = false;
};

HttpSession::HttpSession(HttpShared& shared) : impl_(std::make_unique<Impl>(shared)) {}
HttpSession::~HttpSession() = default;
std::span<char> HttpSession::prepare() {
    return impl_->prepare();
}
void HttpSession::commit(std::size_t count) {
    impl_->commit(count);
}
void HttpSession::resume() {
    impl_->resume();
}
void HttpSession::time_out() {
    impl_->time_out();
}
std::string& HttpSession::output() noexcept {
    return impl_->output();
}
bool HttpSession::more() const noexcept {
    return impl_->more();
}
bool HttpSession::waiting() const noexcept {
    return impl_->waiting();
}
void HttpSession::on_late_reply(std::function<void()> arrived) {
    impl_->on_late_reply(std::move(arrived));
}
bool HttpSession::closing() const noexcept {
    return impl_->closing();
}
bool HttpSession::under_way() const noexcept {
    return impl_->under_way();
}

}  // namespace stint::inline v0::http
