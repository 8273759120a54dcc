#include "store/redis/connection.hpp"

#include <fmt/format.h>

#include <utility>

#include "resp/writer.hpp"

namespace stint::inline v0::store::redis {
namespace {

resp::ReaderOptions reader_options() {
    resp::ReaderOptions options;
    options.bulk_bytes_max = kReplyBytesMax;
    options.elements_max = 1024;  // only the reply to ROLE has any
    return options;
}

constexpr std::string_view kNotLoaded =
    "NOSCRIPT the scripts are not loaded, and this user may not load them: `stint scripts load` does as one who may";

}  // namespace

Connection::Connection(const SignIn& sign_in, bool redirects) : redirects_(redirects), reader_(reader_options()) {
    resp::Writer writer{output_};
    if (!sign_in.password.empty()) {
        if (sign_in.user.empty()) {
            writer.command({"AUTH", sign_in.password});
        } else {
            writer.command({"AUTH", sign_in.user, sign_in.password});
        }
        pending_.push_back(Awaited::sign_in);
    }
    if (sign_in.database != 0) {
        writer.command({"SELECT", std::to_string(sign_in.database)});
        pending_.push_back(Awaited::sign_in);
    }
    if (sign_in.primary_only) {
        writer.command({"ROLE"});
        pending_.push_back(Awaited::role);
    }
    load_scripts();
}

void Connection::load_scripts() {
    resp::Writer writer{output_};
    for (std::size_t i = 0; i < kScripts; ++i) {
        writer.command({"SCRIPT", "LOAD", script_text(static_cast<ScriptId>(i))});
        pending_.push_back(Awaited::load);
    }
    loading_ += kScripts;
}

void Connection::send(Call call) {
    if (call.asking()) pending_.push_back(Awaited::asking);
    pending_.push_back(Awaited::call);
    call.write(script_sha(call.script()), output_);
    calls_.push_back(std::move(call));
}

Received Connection::received(std::size_t size) {
    Received out;
    reader_.commit(size);
    while (state_ != State::broken) {
        const auto reply = reader_.next();
        if (!reply) {
            break_off(fmt::format("the server breaks the protocol: {}", reply.error().reason));
        } else if (*reply == nullptr) {
            break;
        } else if ((*reply)->type() == resp::Type::push) {
            continue;  // sent unasked: nobody subscribes
        } else if (pending_.empty()) {
            break_off("the server answers what was not asked");
        } else {
            on_reply(**reply, out);
        }
    }
    if (state_ == State::leaving && calls_.empty()) state_ = State::broken;
    return out;
}

void Connection::on_reply(const resp::Value& reply, Received& out) {
    const Awaited answered = pending_.front();
    pending_.pop_front();
    switch (answered) {
        case Awaited::sign_in:
            if (reply.is_error()) break_off(shown(reply.text()));
            break;
        case Awaited::role:
            on_role(reply);
            break;
        case Awaited::load:
            on_load(reply);
            break;
        case Awaited::asking:
            break;  // if it was refused, so is the call
        case Awaited::call:
            on_call_reply(reply, out);
            break;
    }
}

void Connection::on_role(const resp::Value& reply) {
    if (reply.is_error()) return break_off(shown(reply.text()));
    if (reply.size() == 0 || reply.begin()->text() != "master") break_off("the server is not the primary");
}

void Connection::on_load(const resp::Value& reply) {
    if (reply.is_error()) {
        // A user without SCRIPT calls what another one has loaded.
        if (code_of(reply.text()) != "NOPERM") return break_off(shown(reply.text()));
        can_load_ = false;
    }
    if (--loading_ == 0 && state_ == State::starting) state_ = State::ready;
}

void Connection::on_call_reply(const resp::Value& reply, Received& out) {
    Call call = std::move(calls_.front());
    calls_.pop_front();
    if (reply.is_error()) return on_call_error(std::move(call), reply.text(), out);
    out.served = true;
    if (reply.type() == resp::Type::bulk_string && call.script() != ScriptId::change) {
        call.deliver(reply.text(), out.again);
    } else if (reply.type() == resp::Type::integer && call.script() == ScriptId::change) {
        call.deliver(reply.integer());
    } else {
        call.fail(StoreError::refused);
    }
}

void Connection::on_call_error(Call call, std::string_view error, Received& out) {
    const ErrorMeaning meaning = meaning_of(error);
    const auto fail = [&call, &out, error](StoreError why) {
        out.refusal = shown(error);
        call.fail(why);
    };
    const auto hand_back = [&call, &out](Remedy remedy, Redirect redirect) {
        out.redirected.push_back({remedy, std::move(redirect), call.take_jobs()});
    };
    switch (meaning.remedy) {
        case Remedy::fail:
            fail(meaning.error);
            break;
        case Remedy::load_scripts:
            if (!can_load_) {
                fail(StoreError::refused);
                out.refusal = kNotLoaded;
                break;
            }
            // All that is in flight meets the same: the scripts are loaded once, and all is sent again behind them.
            if (loading_ == 0 && state_ == State::ready) load_scripts();
            for (JobPtr& job : call.take_jobs()) {
                if (++job->attempts < kAttemptsMax) {
                    out.again.push_back(std::move(job));
                } else {
                    job->finish(meaning.error);  // a server that keeps forgetting them
                }
            }
            break;
        case Remedy::reconnect:
            hand_back(Remedy::reconnect, {});
            break;
        case Remedy::try_again:
            if (redirects_) {
                hand_back(Remedy::try_again, {});
            } else {
                fail(meaning.error);
            }
            break;
        case Remedy::moved:
        case Remedy::ask:
            if (auto redirect = read_redirect(error); redirect && redirects_) {
                // Of several keys some servers say ASK when only one of them is gone: each is asked about alone.
                const bool unsure = meaning.remedy == Remedy::ask && call.shared();
                hand_back(unsure ? Remedy::try_again : meaning.remedy, std::move(*redirect));
            } else {
                fail(StoreError::refused);
            }
            break;
    }
    if (!meaning.leave) return;
    cannot_serve_ = meaning.remedy != Remedy::reconnect;
    leave(error);
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

void Connection::leave(std::string_view reason) {
    if (state_ != State::ready) return;
    error_ = reason;
    state_ = State::leaving;
}

void Connection::break_off(std::string reason) {
    error_ = std::move(reason);
    state_ = State::broken;
}

}  // namespace stint::inline v0::store::redis
