#include "store/redis/secret_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "store/redis/connection.hpp"

namespace stint::store::redis {
namespace {

constexpr std::size_t kSecretBytesMax = 4096;

/// A descriptor that is closed with the object.
class Descriptor {
public:
    explicit Descriptor(int fd) noexcept : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] int get() const noexcept { return fd_; }

private:
    int fd_;
};

/// Returns: the bytes read, short of `size` at the end of the file; -1 if it cannot be read.
ssize_t read_up_to(int fd, char* into, std::size_t size) noexcept {
    std::size_t have = 0;
    while (have < size) {
        const ssize_t got = ::read(fd, into + have, size - have);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        have += static_cast<std::size_t>(got);
    }
    return static_cast<ssize_t>(have);
}

}  // namespace

Result<std::string> read_secret(const std::string& path) {
    // Not blocking: to open a pipe for reading waits for who writes it.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    struct stat about {};
    if (file.get() < 0 || ::fstat(file.get(), &about) != 0) return failure(fmt::format("{} cannot be read", path));
    if (!S_ISREG(about.st_mode)) return failure(fmt::format("{} is not a regular file", path));
    std::string text(kSecretBytesMax + 1, '\0');
    const ssize_t size = read_up_to(file.get(), text.data(), text.size());
    if (size < 0) return failure(fmt::format("{} cannot be read", path));
    text.resize(static_cast<std::size_t>(size));
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
