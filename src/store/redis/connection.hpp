// One connection to one server, without I/O: bytes in, bytes out. It signs in,
// loads the scripts, sends calls and gives each reply to the call that it
// answers, in order. Once a call's deadline has passed, its reply is read and
// dropped, so that it can never answer another question.
// Tested by connection_test.cpp. Threads: one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "resp/reader.hpp"
#include "store/redis/batch.hpp"

namespace stint::store::redis {

struct SignIn {
    std::string user{};
    std::string password{};
    int database = 0;
};

class Connection {
public:
    explicit Connection(const SignIn& sign_in);

    enum class State : std::uint8_t {
        starting,  ///< the replies to what signs in and loads the scripts are awaited
        ready,
        broken,  ///< to be closed; see error()
    };
    [[nodiscard]] State state() const noexcept { return state_; }
    [[nodiscard]] const std::string& error() const noexcept { return error_; }

    /// Appends a call to what is to be written. Requires: ready.
    void send(Call call);
    /// Returns: the calls whose replies are awaited.
    [[nodiscard]] std::size_t in_flight() const noexcept { return calls_.size(); }

    /// What is to be written; the caller takes it.
    [[nodiscard]] std::string& output() noexcept { return output_; }
    /// Where bytes that arrive go; then received() is called.
    [[nodiscard]] std::span<char> prepare(std::size_t size) { return reader_.prepare(size); }
    /// Takes bytes as arrived and delivers what they answer. `again`: jobs that are to be asked anew.
    void received(std::size_t size, std::deque<JobPtr>& again);

    /// Ends the jobs that are due. Returns: when the next one is.
    [[nodiscard]] std::optional<Clock::time_point> expire(Clock::time_point now) noexcept;
    /// Ends all jobs, since the connection is gone and what became of them is unknown.
    void fail_all(StoreError error) noexcept;

private:
    /// What the next reply answers.
    enum class Awaited : std::uint8_t { sign_in, load, call };
    struct Pending {
        Awaited what{};
        ScriptId script{};  // loaded
    };

    void load_scripts();
    void on_reply(const resp::Value& reply, std::deque<JobPtr>& again);
    void on_call_reply(const resp::Value& reply, std::deque<JobPtr>& again);
    void on_call_error(Call call, std::string_view error, std::deque<JobPtr>& again);
    void break_off(std::string reason);

    State state_ = State::starting;
    std::string error_;
    std::string output_;
    resp::Reader reader_;
    std::deque<Pending> pending_;
    std::deque<Call> calls_;  // of the pending ones that are calls, in order
    std::array<std::string, kScripts> shas_;
    std::size_t unloaded_ = kScripts;
    bool reloading_ = false;
};

}  // namespace stint::store::redis
