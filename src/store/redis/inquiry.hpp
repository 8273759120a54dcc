// One question to one server on a connection of its own: where a cluster's
// slots are, or which server a sentinel takes for the primary.
// Threads: those of its loop, one at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "resp/reader.hpp"
#include "store/redis/connection.hpp"
#include "store/redis/transport.hpp"

namespace stint::inline v0::store::redis {

struct InquiryOptions {
    SignIn sign_in{};
    std::shared_ptr<boost::asio::ssl::context> tls{};
    std::string server_name{};
    std::chrono::milliseconds timeout{250};
};

class Inquiry : public std::enable_shared_from_this<Inquiry> {
public:
    /// `reply`: null if there was none, or an error; valid during the call.
    using Done = std::function<void(const resp::Value* reply)>;

    Inquiry(boost::asio::io_context& loop, const InquiryOptions& options);

    /// Asks, once. `done` is called once, unless it is cancelled before.
    void ask(const Endpoint& endpoint, const std::vector<std::string_view>& command, Done done);
    void cancel();

private:
    void read();
    void on_bytes(std::size_t size);
    void finish(const resp::Value* reply);

    boost::asio::steady_timer timer_;
    std::chrono::milliseconds timeout_;
    std::unique_ptr<Transport> transport_;
    resp::Reader reader_;
    std::string output_;
    std::size_t replies_before_ = 0;  // to what signs in
    Done done_;
};

}  // namespace stint::inline v0::store::redis
