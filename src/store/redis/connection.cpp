#include "store/redis/connection.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "resp/writer.hpp"

namespace stint::store::redis {
namespace {

resp::ReaderOptions reader_options() {
    resp::ReaderOptions options;
    options.bulk_bytes_max = std::size_t{1} << 20;  // replies are 32 bytes a limit
    options.elements_max = 1024;
    return options;
}

/// What an error reply means for the checks that it answers.
struct Meaning {
    StoreError error = StoreError::refused;
    bool ask_anew = false;   ///< it certainly did nothing
    bool break_off = false;  ///< another connection may do better
};

Meaning meaning_of(std::string_view error) {
    const std::string_view code = error.substr(0, error.find(' '));
    if (code == "READONLY") return {StoreError::unavailable, true, true};
    if (code == "LOADING" || code == "MASTERDOWN" || code == "CLUSTERDOWN" || code == "TRYAGAIN" || code == "BUSY") {
        return {StoreError::unavailable, false, false};
    }
    if (code == "NOAUTH") return {StoreError::refused, false, true};
    return {};
}

}  // namespace

Connection::Connection(const SignIn& sign_in) : reader_(reader_options()) {
    resp::Writer writer{output_};
    if (!sign_in.password.empty()) {
        if (sign_in.user.empty()) {
            writer.command({"AUTH", sign_in.password});
        } else {
            writer.command({"AUTH", sign_in.user, sign_in.password});
        }
        pending_.push_back({Awaited::sign_in, {}});
    }
    if (sign_in.database != 0) {
        writer.command({"SELECT", std::to_string(sign_in.database)});
        pending_.push_back({Awaited::sign_in, {}});
    }
    load_scripts();
}

void Connection::load_scripts() {
    resp::Writer writer{output_};
    for (std::size_t i = 0; i < kScripts; ++i) {
        const auto script = static_cast<ScriptId>(i);
        writer.command({"SCRIPT", "LOAD", script_text(script)});
        pending_.push_back({Awaited::load, script});
    }
}

void Connection::send(Call call) {
    call.write(shas_[static_cast<std::size_t>(call.script())], output_);
    calls_.push_back(std::move(call));
    pending_.push_back({Awaited::call, {}});
}

void Connection::received(std::size_t size, std::deque<JobPtr>& again) {
    reader_.commit(size);
    while (state_ != State::broken) {
        const auto reply = reader_.next();
        if (!reply) return break_off(fmt::format("the server breaks the protocol: {}", reply.error().reason));
        if (*reply == nullptr) return;
        if ((*reply)->type() == resp::Type::push) continue;  // nobody subscribes
        if (pending_.empty()) return break_off("the server answers what was not asked");
        on_reply(**reply, again);
    }
}

void Connection::on_reply(const resp::Value& reply, std::deque<JobPtr>& again) {
    const Pending answered = pending_.front();
    pending_.pop_front();
    if (answered.what == Awaited::call) return on_call_reply(reply, again);
    if (reply.is_error()) return break_off(std::string{reply.text()});
    if (answered.what == Awaited::sign_in) return;
    shas_[static_cast<std::size_t>(answered.script)] = reply.text();
    if (unloaded_ > 0 && --unloaded_ == 0) state_ = State::ready;
    if (answered.script == ScriptId::change) reloading_ = false;
}

void Connection::on_call_reply(const resp::Value& reply, std::deque<JobPtr>& again) {
    Call call = std::move(calls_.front());
    calls_.pop_front();
    if (reply.is_error()) return on_call_error(std::move(call), reply.text(), again);
    if (reply.type() == resp::Type::bulk_string && call.script() != ScriptId::change) {
        call.deliver(reply.text(), again);
    } else if (reply.type() == resp::Type::integer && call.script() == ScriptId::change) {
        call.deliver(reply.integer());
    } else {
        call.fail(StoreError::refused);
    }
}

void Connection::on_call_error(Call call, std::string_view error, std::deque<JobPtr>& again) {
    if (error.starts_with("NOSCRIPT")) {
        // The server has lost the scripts and run none: they are loaded, and all is sent again behind them.
        if (!std::exchange(reloading_, true)) load_scripts();
        for (JobPtr& job : call.take_jobs()) again.push_back(std::move(job));
        return;
    }
    const Meaning meaning = meaning_of(error);
    if (meaning.ask_anew) {
        for (JobPtr& job : call.take_jobs()) again.push_back(std::move(job));
    } else {
        call.fail(meaning.error);
    }
    if (meaning.break_off) break_off(std::string{error});
}

std::optional<Clock::time_point> Connection::expire(Clock::time_point now) noexcept {
    std::optional<Clock::time_point> next;
    for (Call& call : calls_) {
        const auto due = call.expire(now);
        if (due && (!next || *due < *next)) next = due;
    }
    return next;
}

void Connection::fail_all(StoreError error) noexcept {
    for (Call& call : calls_) call.fail(error);
    calls_.clear();
    pending_.clear();
}

void Connection::break_off(std::string reason) {
    error_ = std::move(reason);
    state_ = State::broken;
}

}  // namespace stint::store::redis
