#include "store/redis/inquiry.hpp"

#include <utility>

#include "resp/writer.hpp"
#include "store/redis/secret_file.hpp"

namespace stint::inline v0::store::redis {
namespace {

using boost::system::error_code;

constexpr std::size_t kReadBytes = 16 * 1024;

}  // namespace

Inquiry::Inquiry(boost::asio::io_context& loop, const InquiryOptions& options)
    : timer_(loop), timeout_(options.timeout), transport_(make_transport(loop, options.tls, options.server_name)) {
    SignIn sign_in = options.sign_in;
    take_password(sign_in);
    if (sign_in.password.empty()) return;
    resp::Writer writer{output_};
    if (sign_in.user.empty()) {
        writer.command({"AUTH", sign_in.password});
    } else {
        writer.command({"AUTH", sign_in.user, sign_in.password});
    }
    replies_before_ = 1;
}

void Inquiry::ask(const Endpoint& endpoint, const std::vector<std::string_view>& command, Done done) {
    done_ = std::move(done);
    resp::Writer{output_}.command(command);
    timer_.expires_after(timeout_);
    timer_.async_wait([self = shared_from_this()](error_code error) {
        if (!error) self->finish(nullptr);
    });
    transport_->open(endpoint, [self = shared_from_this()](error_code error) {
        if (self->done_ == nullptr) return;
        if (error) return self->finish(nullptr);
        self->transport_->write(self->output_, [self](error_code failed, std::size_t) {
            if (failed) self->finish(nullptr);
        });
        self->read();
    });
}

void Inquiry::cancel() {
    done_ = nullptr;
    timer_.cancel();
    transport_->close();
}

void Inquiry::read() {
    transport_->read_some(reader_.prepare(kReadBytes), [self = shared_from_this()](error_code error, std::size_t size) {
        if (self->done_ == nullptr) return;
        if (error) return self->finish(nullptr);
        self->on_bytes(size);
    });
}

void Inquiry::on_bytes(std::size_t size) {
    reader_.commit(size);
    for (;;) {
        const auto reply = reader_.next();
        if (!reply) return finish(nullptr);
        if (*reply == nullptr) return read();
        if ((*reply)->type() == resp::Type::push) continue;
        if ((*reply)->is_error()) return finish(nullptr);
        if (replies_before_ == 0) return finish(*reply);
        --replies_before_;
    }
}

void Inquiry::finish(const resp::Value* reply) {
    if (done_ == nullptr) return;
    const Done done = std::move(done_);
    cancel();
    done(reply);
}

}  // namespace stint::inline v0::store::redis
