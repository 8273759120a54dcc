// The yardstick for the HTTP server: what a server costs that parses requests
// with Beast and decides nothing. One thread, no bounds, no time-outs; a fixed
// reply as long as the one that stint gives.
//
//   http_bare_server message|minimal PORT
//
// `message` is Beast as its documentation shows it, with a message object for
// each request; `minimal` uses its parser with nothing behind it, as stint does.
#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::beast::error_code;

constexpr std::string_view kReply =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 318\r\n"
    "Date: Mon, 30 Nov 2026 20:11:46 GMT\r\n"
    "RateLimit-Policy: \"submit\";q=3;w=60\r\nRateLimit: \"submit\";r=2;t=60\r\n\r\n"
    R"({"allowed":true,"rule":"submit","limit":3000,"remaining":2,"retry_after_ms":0,"reset_after_ms":60000,"denied_by":[],)"
    R"("silent":false,"source":"store","limits":[{"rule":"submit","algorithm":"fixed_window","limit":3000,"remaining":2,)"
    R"("allowed":true,"shadow":false,"banned":false,"retry_after_ms":0,"reset_after_ms":60000}]})";
static_assert(kReply.size() - kReply.find("\r\n\r\n") - 4 == 318);

class MinimalParser final : public http::basic_parser<true> {
    using Text = boost::beast::string_view;
    void on_request_impl(http::verb, Text, Text target, int, error_code&) override {
        target_.assign(target.data(), target.size());
    }
    void on_response_impl(int, Text, int, error_code&) override {}
    void on_field_impl(http::field, Text, Text, error_code&) override {}
    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(Text body, error_code&) override {
        body_.append(body.data(), body.size());
        return body.size();
    }
    void on_chunk_header_impl(std::uint64_t, Text, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, Text body, error_code&) override { return body.size(); }
    void on_finish_impl(error_code&) override {}
    std::string target_;
    std::string body_;
};

template <typename Parser>
class Connection : public std::enable_shared_from_this<Connection<Parser>> {
public:
    explicit Connection(tcp::socket socket) : socket_(std::move(socket)) {}

    void start() {
        socket_.set_option(tcp::no_delay(true));
        socket_.non_blocking(true);
        read();
    }

private:
    void read() {
        socket_.async_read_some(buffer_.prepare(4096),
                                [this, self = this->shared_from_this()](const error_code& ec, std::size_t count) {
                                    if (!ec) on_read(count);
                                });
    }

    void on_read(std::size_t count) {
        buffer_.commit(count);
        while (buffer_.size() > 0) {
            if (!parser_) {
                parser_.emplace();
                parser_->eager(true);
            }
            error_code ec;
            buffer_.consume(parser_->put(buffer_.data(), ec));
            if (ec == http::error::need_more) break;
            if (ec) return;
            if (!parser_->is_done()) break;
            parser_.reset();
            output_ += kReply;
        }
        if (output_.empty()) return read();
        error_code ec;
        const std::size_t sent = socket_.send(asio::buffer(output_), 0, ec);
        if (sent == output_.size()) {
            output_.clear();
            return read();
        }
        if (ec && ec != asio::error::would_block) return;
        output_.erase(0, sent);
        asio::async_write(socket_, asio::buffer(output_),
                          [this, self = this->shared_from_this()](const error_code& failed, std::size_t) {
                              output_.clear();
                              if (!failed) read();
                          });
    }

    tcp::socket socket_;
    boost::beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    std::string output_;
};

template <typename Parser>
void accept(tcp::acceptor& acceptor) {
    acceptor.async_accept([&acceptor](const error_code& ec, tcp::socket socket) {
        if (!ec) std::make_shared<Connection<Parser>>(std::move(socket))->start();
        accept<Parser>(acceptor);
    });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: http_bare_server message|minimal PORT\n", stderr);
        return 2;
    }
    asio::io_context io{1};
    const auto port = static_cast<unsigned short>(std::atoi(argv[2]));
    tcp::acceptor acceptor{io, tcp::endpoint{asio::ip::address_v4::loopback(), port}};
    if (std::string_view{argv[1]} == "minimal") {
        accept<MinimalParser>(acceptor);
    } else {
        accept<http::request_parser<http::string_body>>(acceptor);
    }
    std::printf("ready on http://127.0.0.1:%u\n", acceptor.local_endpoint().port());
    std::fflush(stdout);
    io.run();
}
