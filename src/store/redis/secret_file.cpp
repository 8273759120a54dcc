#include "store/redis/secret_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "store/redis/connection.hpp"

namespace stint::inline v0::store::redis {
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

std::string PasswordFile::read() {
    std::string line;
    std::string password;
    {
        const std::lock_guard lock{mutex_};
        auto read = read_secret(options_.path);
        std::string problem = read ? "" : std::move(read.error());
        if (read) last_ = std::move(*read);
        password = last_;
        if (problem != problem_) {
            line = fmt::format("{}: {}", options_.option,
                               read ? "can be read again" : problem + "; the last password is used");
            problem_ = std::move(problem);
        }
    }
    if (!line.empty() && options_.log) options_.log(line);
    return password;
}

void take_password(SignIn& sign_in) {
    if (sign_in.password_file != nullptr) sign_in.password = sign_in.password_file->read();
}

}  // namespace stint::inline v0::store::redis
