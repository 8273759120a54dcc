// Secrets that lie in files: so that they are on no command line, and so that a
// password can be changed while stint runs.
// Tested by redis_url_test.cpp and tests/redis/password_test.cpp. Threads: any.
#pragma once

#include <string>

#include "base/result.hpp"

namespace stint::store::redis {

struct SignIn;

/// Returns: the contents without the line end that editors add.
/// Errors: no regular file (whoever writes a pipe could keep a loop waiting), cannot be read, empty, more than 4 KiB.
[[nodiscard]] Result<std::string> read_secret(const std::string& path);

/// Takes the password from its file, if it has one. Errors: as read_secret(); the last password stays.
[[nodiscard]] Result<void> read_password_again(SignIn& sign_in);

}  // namespace stint::store::redis
