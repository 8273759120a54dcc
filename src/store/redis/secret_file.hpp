// Secrets that lie in files: so that they are on no command line, and so that a
// password can be changed while stint runs.
// Tested by redis_url_test.cpp and tests/redis/password_test.cpp. Threads: any.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "base/result.hpp"

namespace stint::inline v0::store::redis {

struct SignIn;

/// Returns: the contents without the line end that editors add.
/// Errors: no regular file (whoever writes a pipe could keep a loop waiting), cannot be read, empty, more than 4 KiB.
[[nodiscard]] Result<std::string> read_secret(const std::string& path);

/// A password that may change: one for all connections of a store that sign in with it, so that what one of them has
/// read serves the others too while the file cannot be read.
class PasswordFile {
public:
    struct Options {
        std::string option{};  ///< that names the file, for the log
        std::string path{};
        std::string password{};  ///< until the file is read
        std::function<void(const std::string&)> log{};
    };
    explicit PasswordFile(Options options) : options_(std::move(options)), last_(options_.password) {}

    /// Returns: what the file holds; while it cannot be read, what it held last. That it cannot, or can again, is
    /// logged once.
    [[nodiscard]] std::string read();

private:
    const Options options_;
    std::mutex mutex_;
    std::string last_;
    std::string problem_{};  // that was logged last; empty while there is none
};

/// Takes the password from its file, if it has one.
void take_password(SignIn& sign_in);

}  // namespace stint::inline v0::store::redis
