// Services behind the classes that protoc-gen-stint makes, asked by real
// clients over loopback.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cpp_api/stores.hpp"
#include "limited.grpc.pb.h"
#include "limited.stint.h"
#include "stint/stint.hpp"
#include "stint/testing.hpp"

namespace stint::inline v0 {
namespace {

using limited::test::Limited;
using limited::test::Question;
using limited::test::RateLimitedLimited;
using limited::test::RateLimitedLimitedCallback;
using limited::test::Reply;
using std::chrono::minutes;
using ::testing::HasSubstr;

/// Says what it hears, and counts what reaches it. No word about limits.
class SyncService final : public Limited::Service {
public:
    ::grpc::Status Submit(::grpc::ServerContext*, const Question* question, Reply* reply) override {
        ++calls;
        reply->set_text(question->team_id());
        if (on_submit) std::exchange(on_submit, nullptr)();
        return ::grpc::Status::OK;
    }
    ::grpc::Status List(::grpc::ServerContext*, const Question*, ::grpc::ServerWriter<Reply>* writer) override {
        ++calls;
        writer->Write(Reply{});
        return ::grpc::Status::OK;
    }
    ::grpc::Status Upload(::grpc::ServerContext*, ::grpc::ServerReader<Question>* reader, Reply*) override {
        ++calls;
        for (Question question; reader->Read(&question);) {
        }
        return ::grpc::Status::OK;
    }
    ::grpc::Status Chat(::grpc::ServerContext*, ::grpc::ServerReaderWriter<Reply, Question>* stream) override {
        ++calls;
        for (Question question; stream->Read(&question);) stream->Write(Reply{});
        return ::grpc::Status::OK;
    }
    ::grpc::Status Free(::grpc::ServerContext*, const Question*, Reply*) override {
        ++calls;
        return ::grpc::Status::OK;
    }

    std::atomic<int> calls = 0;
    std::function<void()> on_submit;  // for the next call alone
};

class CallbackService final : public Limited::CallbackService {
public:
    ::grpc::ServerUnaryReactor* Submit(::grpc::CallbackServerContext* context, const Question* question,
                                       Reply* reply) override {
        reply->set_text(question->team_id());
        return finish(context);
    }
    ::grpc::ServerWriteReactor<Reply>* List(::grpc::CallbackServerContext*, const Question*) override {
        ++calls;
        return new rpc::Finished<::grpc::ServerWriteReactor<Reply>>{::grpc::Status::OK};
    }
    ::grpc::ServerReadReactor<Question>* Upload(::grpc::CallbackServerContext*, Reply*) override {
        ++calls;
        return new rpc::Finished<::grpc::ServerReadReactor<Question>>{::grpc::Status::OK};
    }
    ::grpc::ServerBidiReactor<Question, Reply>* Chat(::grpc::CallbackServerContext*) override {
        ++calls;
        return new rpc::Finished<::grpc::ServerBidiReactor<Question, Reply>>{::grpc::Status::OK};
    }
    ::grpc::ServerUnaryReactor* Free(::grpc::CallbackServerContext* context, const Question*, Reply*) override {
        return finish(context);
    }

    std::atomic<int> calls = 0;

private:
    ::grpc::ServerUnaryReactor* finish(::grpc::CallbackServerContext* context) {
        ++calls;
        ::grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
        reactor->Finish(::grpc::Status::OK);
        return reactor;
    }
};

/// What a client hears: the status and the metadata behind it.
struct Heard {
    ::grpc::Status status;
    std::string text;
    std::multimap<std::string, std::string> trailing;

    [[nodiscard]] bool ok() const { return status.ok(); }
    explicit operator bool() const { return ok(); }
};

/// A server and its client.
class Site {
public:
    explicit Site(::grpc::Service& service) {
        ::grpc::ServerBuilder builder;
        int port = 0;
        builder.AddListeningPort("127.0.0.1:0", ::grpc::InsecureServerCredentials(), &port);
        builder.RegisterService(&service);
        server_ = builder.BuildAndStart();
        stub_ = Limited::NewStub(
            ::grpc::CreateChannel("127.0.0.1:" + std::to_string(port), ::grpc::InsecureChannelCredentials()));
    }
    ~Site() { server_->Shutdown(); }
    Site(const Site&) = delete;
    Site& operator=(const Site&) = delete;

    Heard submit(const std::string& team) {
        Question question;
        question.set_team_id(team);
        return unary(&Limited::Stub::Submit, question);
    }
    Heard free() { return unary(&Limited::Stub::Free, {}); }
    Heard closed() { return unary(&Limited::Stub::Closed, {}); }
    Heard list(const Question& question) {
        ::grpc::ClientContext context;
        const auto reader = stub_->List(&context, question);
        Reply reply;
        while (reader->Read(&reply)) {
        }
        return heard(context, reader->Finish(), reply);
    }
    Heard upload(const std::string& user) {
        ::grpc::ClientContext context;
        if (!user.empty()) context.AddMetadata("x-user", user);
        Reply reply;
        const auto writer = stub_->Upload(&context, &reply);
        writer->Write(Question{});
        writer->WritesDone();
        return heard(context, writer->Finish(), reply);
    }
    Heard chat() {
        ::grpc::ClientContext context;
        const auto stream = stub_->Chat(&context);
        stream->Write(Question{});
        stream->WritesDone();
        Reply reply;
        while (stream->Read(&reply)) {
        }
        return heard(context, stream->Finish(), reply);
    }

private:
    template <typename Call>
    Heard unary(Call call, const Question& question) {
        ::grpc::ClientContext context;
        Reply reply;
        const ::grpc::Status status = ((*stub_).*call)(&context, question, &reply);
        return heard(context, status, reply);
    }
    static Heard heard(const ::grpc::ClientContext& context, const ::grpc::Status& status, const Reply& reply) {
        Heard result{status, reply.text(), {}};
        for (const auto& [name, value] : context.GetServerTrailingMetadata()) {
            result.trailing.emplace(std::string{name.data(), name.size()}, std::string{value.data(), value.size()});
        }
        return result;
    }

    std::unique_ptr<::grpc::Server> server_;
    std::unique_ptr<Limited::Stub> stub_;
};

/// Returns: how many of ten calls pass.
template <typename Call>
int passed(const Call& call) {
    int count = 0;
    for (int i = 0; i < 10; ++i) count += call().ok() ? 1 : 0;
    return count;
}

class GrpcTest : public OnEachStore {
protected:
    Limiter limiter_{store(), RuleSet{}};
};

template <typename Service>
void check_all_kinds(Site& site, Service& service) {
    EXPECT_EQ(passed([&] { return site.submit("a"); }), 3);
    EXPECT_EQ(passed([&] { return site.submit("b"); }), 3);
    Question question;
    EXPECT_EQ(passed([&] { return site.list(question); }), 2);
    // Each part of the key makes another key.
    question.mutable_user()->set_id(7);
    EXPECT_EQ(passed([&] { return site.list(question); }), 2);
    question.set_kind(limited::test::SPECIAL);
    EXPECT_EQ(passed([&] { return site.list(question); }), 2);
    question.set_raw(std::string{"\0\xff", 2});
    EXPECT_EQ(passed([&] { return site.list(question); }), 2);
    question.set_urgent(true);
    EXPECT_EQ(passed([&] { return site.list(question); }), 2);
    question.set_class_(-1);
    EXPECT_EQ(passed([&] { return site.list(question); }), 2);
    EXPECT_EQ(passed([&] { return site.upload("ann"); }), 2) << "each costs 2 of 4";
    EXPECT_EQ(passed([&] { return site.upload("ben"); }), 2);
    EXPECT_EQ(passed([&] { return site.upload(""); }), 2) << "who says no name is counted all the same";
    EXPECT_EQ(passed([&] { return site.chat(); }), 2);
    EXPECT_EQ(passed([&] { return site.free(); }), 10);
    EXPECT_EQ(passed([&] { return site.closed(); }), 0);
    EXPECT_EQ(service.calls, 6 + 12 + 6 + 2 + 10) << "a refused call does not reach the service";
}

TEST_P(GrpcTest, LimitsAllKindsOfMethods) {
    SyncService service;
    RateLimitedLimited limited{limiter_, service};
    Site site{limited};
    check_all_kinds(site, service);
}

TEST_P(GrpcTest, LimitsCallbackServices) {
    CallbackService service;
    RateLimitedLimitedCallback limited{limiter_, service};
    Site site{limited};
    check_all_kinds(site, service);
}

TEST_P(GrpcTest, AmongAHundredAtOnceExactlyTenGetThrough) {
    limiter_.reload(
        parse_rules("version: 1\nrules:\n"
                    "  - {name: submit, match: {action: submit}, key: [team_id],\n"
                    "     limits: [{limit: 10, per: 1m}]}\n"));
    SyncService service;
    RateLimitedLimited limited{limiter_, service};
    Site site{limited};
    for (int round = 0; round < 10; ++round) {
        const testing::Passed result =
            testing::call_together({.calls = 100, .threads = 20}, [&] { return site.submit(std::to_string(round)); });
        ASSERT_EQ(result, (testing::Passed{.allowed = 10, .denied = 90})) << "round " << round;
    }
    EXPECT_EQ(service.calls, 100);
}

STINT_ON_EACH_STORE(GrpcTest);

class GrpcRefusalTest : public ::testing::Test {
protected:
    testing::ManualClock clock_;
    MemoryStore store_{{.clock = clock_}};
    Limiter limiter_{store_, RuleSet{}};
    SyncService service_;
};

TEST_F(GrpcRefusalTest, SaysWhenToComeAgain) {
    limiter_.reload(RuleSet{{Rule{
        .name = "submit", .key = {"team_id"}, .limits = {Limit::sliding_log(1, std::chrono::milliseconds{1'500})}}}});
    RateLimitedLimited limited{limiter_, service_};
    Site site{limited};
    ASSERT_TRUE(site.submit("a").ok());
    clock_.advance(std::chrono::microseconds{499'999});
    const Heard refused = site.submit("a");
    EXPECT_EQ(refused.status.error_code(), ::grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_EQ(refused.status.error_message(), "rate limit 'submit' exceeded: try again in 1.001 s");
    EXPECT_EQ(refused.trailing.find("retry-after-ms")->second, "1001");
    // google.rpc.Status {code: 8, message, details: Any{"type.googleapis.com/google.rpc.RetryInfo",
    // RetryInfo{retry_delay {seconds: 1, nanos: 1000}}}}, as the wire format of Protocol Buffers has it: field 1 of the
    // Any's value is a Duration of 5 bytes.
    const std::string type = "type.googleapis.com/google.rpc.RetryInfo";
    const std::string& message = refused.status.error_message();
    const std::string info{"\x0a\x05\x08\x01\x10\xe8\x07", 7};
    const std::string any = "\x0a" + std::string(1, static_cast<char>(type.size())) + type + "\x12\x07" + info;
    const std::string expected = std::string{"\x08\x08\x12"} + static_cast<char>(message.size()) + message + "\x1a" +
                                 static_cast<char>(any.size()) + any;
    EXPECT_EQ(refused.status.error_details(), expected);
    clock_.advance(std::chrono::microseconds{1'000'001});
    EXPECT_TRUE(site.submit("a").ok()) << "the wait was the true one";
}

TEST_F(GrpcRefusalTest, SaysNothingOfAWaitThatDoesNotHelp) {
    RateLimitedLimited limited{limiter_, service_};
    Site site{limited};
    const Heard refused = site.closed();
    EXPECT_EQ(refused.status.error_code(), ::grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_THAT(refused.status.error_message(), HasSubstr("can never pass"));
    EXPECT_EQ(refused.trailing.count("retry-after-ms"), 0U);
    EXPECT_EQ(refused.status.error_details(), "");
    EXPECT_TRUE(site.free().trailing.empty());
}

TEST_F(GrpcRefusalTest, TheRuleFileOverridesTheNumbers) {
    RateLimitedLimited limited{limiter_, service_};
    Site site{limited};
    EXPECT_EQ(passed([&] { return site.submit("a"); }), 3);
    limiter_.reload(
        RuleSet{{Rule{.name = "submit", .key = {"team_id"}, .limits = {Limit::sliding_window(5, minutes{1})}}}});
    EXPECT_EQ(passed([&] { return site.submit("a"); }), 2) << "nobody is refilled";
    EXPECT_THROW(limiter_.reload(RuleSet{
                     {Rule{.name = "submit", .key = {"user"}, .limits = {Limit::sliding_window(5, minutes{1})}}}}),
                 ConfigError);
}

TEST_F(GrpcRefusalTest, HoldsALeaseUntilTheCallEnds) {
    limiter_.reload(
        RuleSet{{Rule{.name = "submit", .key = {"team_id"}, .limits = {Limit::concurrency(1, minutes{1})}}}});
    RateLimitedLimited limited{limiter_, service_};
    Site site{limited};
    bool inner = true;
    service_.on_submit = [&] { inner = site.submit("a").ok(); };
    EXPECT_TRUE(site.submit("a").ok());
    EXPECT_FALSE(inner) << "one at a time";
    EXPECT_TRUE(site.submit("a").ok());
    CallbackService callback;
    EXPECT_THROW((RateLimitedLimitedCallback{limiter_, callback}), ConfigError);
}

TEST_F(GrpcRefusalTest, PretendsIfAskedTo) {
    limiter_.reload(
        RuleSet{{Rule{.name = "submit",
                      .key = {"team_id"},
                      .limits = {Limit::sliding_window(1, minutes{1})},
                      .ban = Ban{.denials = 1, .within = minutes{1}, .duration = minutes{9}, .silent = true}}}});
    RateLimitedLimited open{limiter_, service_};
    RateLimitedLimited pretending{limiter_, service_, {.silent = rpc::Silent::pretend}};
    Site site{open};
    Site pretending_site{pretending};
    EXPECT_TRUE(site.submit("a").ok());
    EXPECT_FALSE(pretending_site.submit("a").ok()) << "the denial that starts the ban is none of it";
    EXPECT_FALSE(site.submit("a").ok());
    const Heard pretended = pretending_site.submit("a");
    EXPECT_TRUE(pretended.ok());
    EXPECT_EQ(pretended.text, "") << "the service has not answered";
    EXPECT_TRUE(pretended.trailing.empty());
    EXPECT_EQ(service_.calls, 1);
}

TEST_F(GrpcRefusalTest, CountsByTheAddressWithoutItsPort) {
    RateLimitedLimited limited{limiter_, service_};
    Site site{limited};
    Site other{limited};
    EXPECT_TRUE(site.chat().ok());
    EXPECT_TRUE(other.chat().ok());
    EXPECT_FALSE(site.chat().ok());
    EXPECT_EQ(limiter_.peek({{"action", "chat"}, {"ip", "127.0.0.1"}}).remaining, 0U);
}

}  // namespace
}  // namespace stint::inline v0
