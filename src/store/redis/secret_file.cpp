#include "store/redis/secret_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "store/redis/connection.hpp"

namespace stint::store::redis {
namespace {

constexpr std::size_t kSecretBytesMax = 4096;

}  // namespace

Result<std::string> read_secret(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    std::string text(kSecretBytesMax + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.is_open() || file.bad()) return failure(fmt::format("{} cannot be read", path));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kSecretBytesMax) return failure(fmt::format("{} has more than {} bytes", path, kSecretBytesMax));
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    if (text.empty()) return failure(fmt::format("{} is empty", path));
    return text;
}

Result<void> read_password_again(SignIn& sign_in) {
    if (sign_in.password_file.empty()) return {};
    auto password = read_secret(sign_in.password_file);
    if (!password) return tl::unexpected{password.error()};
    sign_in.password = std::move(*password);
    return {};
}

}  // namespace stint::store::redis
