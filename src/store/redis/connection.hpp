// One connection to one server, without I/O: bytes in, bytes out. It signs in,
// loads the scripts, sends calls and gives each reply to the call that it
// answers, in order. Once a call's deadline has passed, its reply is read and
// dropped, so that it can never answer another question.
// Tested by connection_test.cpp. Threads: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "resp/reader.hpp"
#include "store/redis/batch.hpp"
#include "store/redis/error_reply.hpp"

namespace stint::inline v0::store::redis {

class PasswordFile;

struct SignIn {
    std::string user{};
    std::string password{};
    int database = 0;
    bool primary_only = false;                      ///< a server that is no primary is left again
    std::shared_ptr<PasswordFile> password_file{};  ///< asked before each connection, see take_password(); may be null
};

/// Jobs that a server has certainly not done, and who is to be asked instead.
struct Redirected {
    Remedy remedy{};
    Redirect redirect{};  ///< of Remedy::moved and Remedy::ask
    std::vector<JobPtr> jobs{};
};

/// What arriving bytes came to, beside the answers delivered.
struct Received {
    std::vector<JobPtr> again{};  ///< to be asked anew of the same server
    std::vector<Redirected> redirected{};
    bool served = false;                   ///< a check was answered
    std::optional<std::string> refusal{};  ///< an error that ended checks
};

class Connection {
public:
    /// `redirects`: whether anybody follows redirections; else they are failures.
    Connection(const SignIn& sign_in, bool redirects);

    enum class State : std::uint8_t {
        starting,  ///< the replies to what signs in and loads the scripts are awaited
        ready,
        leaving,  ///< sends nothing more; awaits the replies to what was sent
        broken,   ///< to be closed; see error()
    };
    [[nodiscard]] State state() const noexcept { return state_; }
    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    /// Returns: whether a new connection to the same server would fare no better just now.
    [[nodiscard]] bool cannot_serve() const noexcept { return cannot_serve_; }

    /// Appends a call to what is to be written. Requires: ready.
    void send(Call call);
    /// Returns: the calls whose replies are awaited.
    [[nodiscard]] std::size_t in_flight() const noexcept { return calls_.size(); }

    /// What is to be written; the caller takes it.
    [[nodiscard]] std::string& output() noexcept { return output_; }
    /// Where bytes that arrive go; then received() is called.
    [[nodiscard]] std::span<char> prepare(std::size_t size) { return reader_.prepare(size); }
    /// Takes bytes as arrived and delivers what they answer.
    [[nodiscard]] Received received(std::size_t size);

    /// Ends the jobs that are due. Returns: when the next one is.
    [[nodiscard]] std::optional<Clock::time_point> expire(Clock::time_point now) noexcept;
    /// Ends all jobs, since the connection is gone and what became of them is unknown.
    void fail_all(StoreError error) noexcept;

private:
    /// What the next reply answers.
    enum class Awaited : std::uint8_t { sign_in, role, load, asking, call };

    void load_scripts();
    void on_reply(const resp::Value& reply, Received& out);
    void on_role(const resp::Value& reply);
    void on_load(const resp::Value& reply);
    void on_call_reply(const resp::Value& reply, Received& out);
    void on_call_error(Call call, std::string_view error, Received& out);
    void leave(std::string_view reason);
    void break_off(std::string reason);

    State state_ = State::starting;
    bool redirects_;
    std::string error_;
    std::string output_;
    resp::Reader reader_;
    std::deque<Awaited> pending_;
    std::deque<Call> calls_;   // of the pending ones that are calls, in order
    std::size_t loading_ = 0;  // scripts whose loading is not answered yet
    bool can_load_ = true;     // the user may load scripts
    bool cannot_serve_ = false;
};

}  // namespace stint::inline v0::store::redis
