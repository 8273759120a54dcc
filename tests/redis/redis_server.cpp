#include "redis/redis_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>

#include "redis/until.hpp"

namespace stint::inline v0::testing_redis {
namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

std::uint16_t some_port() {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const bool bound = bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    close(fd);
    if (!bound) throw std::runtime_error{"no free port"};
    return ntohs(address.sin_port);
}

}  // namespace

std::uint16_t free_port() {
    static std::set<std::uint16_t> given;
    for (;;) {
        const std::uint16_t port = some_port();
        if (given.insert(port).second) return port;
    }
}

ServerProcess::ServerProcess() : port_(free_port()) {
    std::string name = (std::filesystem::temp_directory_path() / "stint-redis-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no temporary folder"};
    folder_ = name;
}

ServerProcess::~ServerProcess() {
    kill();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void ServerProcess::launch() {
    pid_ = fork();
    if (pid_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that dies leaves nothing behind
        std::vector<char*> argv;
        for (std::string& word : words_) argv.push_back(word.data());
        argv.push_back(nullptr);
        execvp(argv[0], argv.data());
        _exit(127);
    }
    if (pid_ < 0) throw std::runtime_error{"cannot start " + words_[0]};
}

void ServerProcess::start() {
    launch();
    const bool up = until([this] {
        if (waitpid(pid_, nullptr, WNOHANG) == pid_) throw std::runtime_error{words_[0] + " ended at its start"};
        const std::string reply = cli("PING");
        return reply == "PONG" || reply.starts_with("NOAUTH");  // it is up, and asks who we are
    });
    if (!up) throw std::runtime_error{words_[0] + " does not answer"};
}

RedisServer::RedisServer(const std::vector<std::string>& arguments, Begin begin,
                         const std::vector<std::string>& environment) {
    std::vector<std::string> words;
    if (!environment.empty()) {
        words.emplace_back("env");  // becomes the server, under the same process id
        words.insert(words.end(), environment.begin(), environment.end());
    }
    const std::string own_port = std::to_string(port());
    for (const char* word : {"redis-server", "--port", own_port.c_str(), "--bind", "127.0.0.1", "--save", "",
                             "--logfile", "redis.log", "--repl-diskless-sync-delay", "0", "--dir"}) {
        words.emplace_back(word);
    }
    words.push_back(folder().string());
    words.insert(words.end(), arguments.begin(), arguments.end());
    set_command(std::move(words));
    if (begin == Begin::now) start();
}

RedisSentinel::RedisSentinel(std::uint16_t primary_port) {
    const std::string file = (folder() / "sentinel.conf").string();
    std::ofstream{file} << fmt::format(
        "port {}\nbind 127.0.0.1\ndir {}\nlogfile sentinel.log\nsentinel monitor main 127.0.0.1 {} 2\n"
        "sentinel down-after-milliseconds main 500\nsentinel failover-timeout main 3000\n",
        port(), folder().string(), primary_port);
    set_command({"redis-server", file, "--sentinel"});  // redis-sentinel is a package of its own
    start();
    // While the primary is down, a replica is asked for INFO once a second, and it is good for five ping periods.
    cli("SENTINEL DEBUG info-period 200 publish-period 200 ping-period 300 ask-period 200 slave-reconf-timeout 1000");
}

void ServerProcess::signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
}

void ServerProcess::kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
}

std::string ServerProcess::cli(const std::string& command) const {
    const std::string line = fmt::format("redis-cli -p {} {} 2>&1", port_, command);
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe{popen(line.c_str(), "r"), pclose};
    if (pipe == nullptr) throw std::runtime_error{"cannot run redis-cli"};
    std::string printed;
    std::array<char, 4096> piece{};
    while (const std::size_t size = fread(piece.data(), 1, piece.size(), pipe.get())) {
        printed.append(piece.data(), size);
    }
    while (printed.ends_with('\n')) printed.pop_back();
    return printed;
}

}  // namespace stint::inline v0::testing_redis
