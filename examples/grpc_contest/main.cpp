// A contest site over gRPC: three answers in any minute for each team, says
// contest.proto; the service holds no word about it.
//
//     grpc_contest serve [HOST:PORT [redis://HOST:PORT]]
//     grpc_contest submit HOST:PORT TEAM ANSWER…      submits one answer after the other
//     grpc_contest demo                               both in one
#include <grpcpp/grpcpp.h>
#include <stint/redis_store.hpp>
#include <stint/stint.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "contest.grpc.pb.h"
#include "contest.stint.h"

namespace {

class ContestService final : public contest::Contest::Service {
    grpc::Status Submit(grpc::ServerContext*, const contest::SubmitRequest* request,
                        contest::SubmitReply* reply) override {
        reply->set_right(request->answer() == "forty-two");
        return grpc::Status::OK;
    }
};

std::unique_ptr<stint::Store> make_store(const std::string& redis_url) {
    if (redis_url.empty()) return std::make_unique<stint::MemoryStore>();
    return std::make_unique<stint::RedisStore>(stint::parse_redis_url(redis_url));
}

int submit(const std::string& address, const std::string& team, const std::vector<std::string>& answers) {
    const auto stub = contest::Contest::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
    for (const std::string& answer : answers) {
        grpc::ClientContext context;
        contest::SubmitRequest request;
        request.set_team_id(team);
        request.set_answer(answer);
        contest::SubmitReply reply;
        const grpc::Status status = stub->Submit(&context, request, &reply);
        if (status.ok()) {
            std::cout << answer << (reply.right() ? ": right\n" : ": wrong\n");
            continue;
        }
        std::cout << answer << ": " << status.error_message() << '\n';
        const auto& trailing = context.GetServerTrailingMetadata();
        const auto wait = trailing.find("retry-after-ms");
        if (wait != trailing.end()) std::cout << "retry-after-ms: " << wait->second << '\n';
    }
    return 0;
}

int serve(const std::string& address, const std::string& redis_url, bool demo) {
    const std::unique_ptr<stint::Store> store = make_store(redis_url);
    stint::Limiter limiter{*store, stint::RuleSet{}};
    ContestService service;
    contest::RateLimitedContest limited{limiter, service};

    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&limited);
    const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (!server) {
        std::cerr << "grpc_contest: cannot listen on " << address << '\n';
        return 1;
    }
    if (demo) return submit("127.0.0.1:" + std::to_string(port), "ours", {"one", "two", "forty-two", "four"});
    std::cout << "grpc_contest: port " << port << '\n' << std::flush;
    server->Wait();
    return 0;
}

int run(const std::vector<std::string>& words) {
    if (words == std::vector<std::string>{"demo"}) return serve("127.0.0.1:0", "", true);
    if (!words.empty() && words[0] == "serve" && words.size() <= 3) {
        return serve(words.size() > 1 ? words[1] : "127.0.0.1:8082", words.size() > 2 ? words[2] : "", false);
    }
    if (words.size() > 3 && words[0] == "submit") return submit(words[1], words[2], {words.begin() + 3, words.end()});
    std::cerr << "grpc_contest serve [HOST:PORT [redis://HOST:PORT]] | submit HOST:PORT TEAM ANSWER… | demo\n";
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::cerr << "grpc_contest: " << error.what() << '\n';
        return 2;
    }
}
