// A contest site: each team may submit three answers in any minute. One line
// says so; the code is the same whether one server counts for itself or many
// share their counts in Redis.
//
//     contest [PORT [redis://HOST:PORT]]
//     curl -i -H 'Team: 42' -d 'forty-two' http://127.0.0.1:8081/submit
#include <fmt/format.h>
#include <httplib.h>
#include <stint/redis_store.hpp>
#include <stint/stint.hpp>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "contest.hpp"

namespace {

std::unique_ptr<stint::Store> make_store(const char* redis_url) {
    if (redis_url == nullptr) return std::make_unique<stint::MemoryStore>();
    return std::make_unique<stint::RedisStore>(stint::parse_redis_url(redis_url));
}

int serve(int port, const char* redis_url) {
    const std::unique_ptr<stint::Store> store = make_store(redis_url);
    stint::Limiter limiter{*store, stint::RuleSet{}};
    Contest contest{"forty-two"};

    auto submit = stint::rate_limited<"submit", 3, 60>(
        limiter, &Contest::submit, [](auto&, const std::string& team, auto&&) -> std::string_view { return team; });

    httplib::Server server;
    server.Post("/submit", [&](const httplib::Request& request, httplib::Response& response) {
        const std::string team = request.get_header_value("Team");
        if (team.empty()) {
            response.status = 400;
            response.set_content("who are you? send the header Team\n", "text/plain");
            return;
        }
        const Contest::Verdict verdict = submit(contest, team, request.body);
        response.set_content(fmt::format("{} (try {})\n", verdict.right ? "right" : "wrong", verdict.tries),
                             "text/plain");
    });
    // One place for all limits of the site.
    server.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr thrown) {
        try {
            std::rethrow_exception(std::move(thrown));
        } catch (const stint::RateLimitExceeded& denial) {
            response.status = 429;
            for (const auto& [name, value] : stint::http_headers(denial.decision())) response.set_header(name, value);
            response.set_content(fmt::format("{}\n", denial.what()), "text/plain");
        } catch (const std::exception&) {
            response.status = 500;
        }
    });

    if (port == 0) {
        port = server.bind_to_any_port("127.0.0.1");
    } else if (!server.bind_to_port("127.0.0.1", port)) {
        std::cerr << "contest: port " << port << " is in use\n";
        return 1;
    }
    std::cout << "contest: http://127.0.0.1:" << port << '\n' << std::flush;
    return server.listen_after_bind() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return serve(argc > 1 ? std::atoi(argv[1]) : 8081, argc > 2 ? argv[2] : nullptr);
    } catch (const std::exception& error) {
        std::cerr << "contest: " << error.what() << '\n';
        return 2;
    }
}
