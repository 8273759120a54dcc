// A resolver that hangs: this program's getaddrinfo stands in for the system's.
// Threads: the store's, and those that look names up.
#include "store/redis/resolver.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <array>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "stint/redis_store.hpp"
#include "store/redis/command_client.hpp"
#include "store/redis/testing_check.hpp"

namespace {

/// The names that hang, and who has asked for any.
struct Names {
    std::mutex mutex;
    std::condition_variable changed;
    bool hang = true;
    int asked = 0;
    int hanging = 0;
};
Names& names() {
    static Names shared;
    return shared;
}

}  // namespace

extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
    {
        std::unique_lock lock{names().mutex};
        ++names().asked;
        if (std::string_view{host} == "hangs.example") {
            ++names().hanging;
            names().changed.notify_all();
            names().changed.wait(lock, [] { return !names().hang; });
            --names().hanging;
            names().changed.notify_all();
            return EAI_AGAIN;
        }
    }
    void* next = dlsym(RTLD_NEXT, "getaddrinfo");
    return reinterpret_cast<decltype(&getaddrinfo)>(next)(host, service, hints, found);
}

namespace stint::inline v0::store::redis {
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::seconds;

class ResolverTest : public testing::Test {
protected:
    ResolverTest() {
        const std::lock_guard lock{names().mutex};
        names().hang = true;
        names().asked = 0;
    }
    ~ResolverTest() override { let_go(); }
    static void let_go() {
        std::unique_lock lock{names().mutex};
        names().hang = false;
        names().changed.notify_all();
        names().changed.wait(lock, [] { return names().hanging == 0; });
    }
    static void wait_until_one_hangs() {
        std::unique_lock lock{names().mutex};
        EXPECT_TRUE(names().changed.wait_for(lock, seconds{20}, [] { return names().hanging > 0; }));
    }
    static int hanging() {
        const std::lock_guard lock{names().mutex};
        return names().hanging;
    }
    static int asked() {
        const std::lock_guard lock{names().mutex};
        return names().asked;
    }
};

RedisOptions options_for(const std::string& host) {
    RedisOptions options;
    options.addresses = {{host, 1}};
    options.deadline = milliseconds{20};
    return options;
}

StoreError ask(RedisStore& store) {
    TestCheck check{AskSpec{.key = "a"}};
    store.decide({&check.check, 1}, std::nullopt);
    return check.check.error;
}

TEST_F(ResolverTest, AStoreGoesWhileItsNameIsStillLookedUp) {
    auto store = std::make_unique<RedisStore>(options_for("hangs.example"));
    EXPECT_NE(ask(*store), StoreError::none);
    wait_until_one_hangs();
    const auto start = Clock::now();
    store.reset();
    EXPECT_LT(Clock::now() - start, seconds{2});
    EXPECT_EQ(hanging(), 1);
}

TEST_F(ResolverTest, ALookOfACommandEndsWhileItsNameIsStillLookedUp) {
    const auto start = Clock::now();
    const auto client = CommandClient::connect(options_for("hangs.example"), milliseconds{50});
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error(), "hangs.example:1: cannot connect: no answer within 50ms");
    EXPECT_LT(Clock::now() - start, seconds{2});
}

/// Loops and resolvers without a store.
class LookupTest : public ResolverTest {
protected:
    /// What a name came to: its first address, or why not.
    struct Answer {
        int calls = 0;
        error_code error{};
        std::string address{};
    };
    Resolver::Found into(Answer& answer) {
        return [&answer](error_code error, const Resolver::Addresses& found) {
            ++answer.calls;
            answer.error = error;
            if (!found.empty()) answer.address = found[0].address().to_string();
        };
    }
    void run_until_told(const Answer& answer) {
        loop_.restart();
        while (answer.calls == 0 && loop_.run_one_for(seconds{20}) > 0) {
        }
    }

    boost::asio::io_context loop_{1};
    Resolver first_{loop_};
    Resolver second_{loop_};
};

TEST_F(LookupTest, AddressesNeedNoLookup) {
    for (const char* address : {"127.0.0.1", "::1"}) {
        Answer answer;
        first_.resolve({address, 1}, into(answer));
        EXPECT_EQ(answer.calls, 0) << "called before the caller is ready";
        run_until_told(answer);
        EXPECT_EQ(answer.address, address);
    }
    EXPECT_EQ(asked(), 0);
}

TEST_F(LookupTest, AnAddressThatIsCancelledIsNotFoundAfterwards) {
    Answer answer;
    first_.resolve({"127.0.0.1", 1}, into(answer));
    first_.cancel();
    EXPECT_EQ(answer.calls, 0) << "called by its loop only";
    loop_.run();
    EXPECT_EQ(answer.calls, 1);
    EXPECT_EQ(answer.error, boost::asio::error::operation_aborted);
    EXPECT_EQ(answer.address, "");
}

TEST_F(LookupTest, ANameThatIsCancelledByWhoHeardOfItFirstIsNotFound) {
    Answer second;
    bool is_told = false;
    first_.resolve({"localhost", 1}, [&](error_code, const Resolver::Addresses&) {
        is_told = true;
        second_.cancel();
    });
    second_.resolve({"localhost", 1}, into(second));
    run_until_told(second);
    EXPECT_TRUE(is_told);
    EXPECT_EQ(second.error, boost::asio::error::operation_aborted);
}

TEST_F(LookupTest, OtherNamesAreFoundWhileOneHangs) {
    Answer hung;
    Answer found;
    first_.resolve({"hangs.example", 1}, into(hung));
    wait_until_one_hangs();
    second_.resolve({"localhost", 1}, into(found));
    run_until_told(found);
    EXPECT_FALSE(found.error);
    EXPECT_TRUE(found.address == "127.0.0.1" || found.address == "::1") << found.address;
    EXPECT_EQ(hung.calls, 0);
}

TEST_F(LookupTest, ANameThatHangsIsAskedForOnceHoweverOftenItIsTried) {
    std::array<Answer, 10> given_up;
    for (Answer& answer : given_up) {
        first_.resolve({"hangs.example", 1}, into(answer));
        first_.cancel();
        run_until_told(answer);
        EXPECT_EQ(answer.error, boost::asio::error::operation_aborted);
    }
    Answer last;
    first_.resolve({"hangs.example", 1}, into(last));
    wait_until_one_hangs();
    EXPECT_EQ(asked(), 1);
    let_go();
    run_until_told(last);
    EXPECT_EQ(last.error, boost::asio::error::host_not_found_try_again);
    for (const Answer& answer : given_up) EXPECT_EQ(answer.calls, 1);
}

TEST_F(LookupTest, ALoopMayGoBeforeItsLookups) {
    Answer answer;
    {
        boost::asio::io_context loop{1};
        Resolver resolver{loop};
        resolver.resolve({"hangs.example", 1}, into(answer));
        wait_until_one_hangs();
    }
    EXPECT_EQ(answer.calls, 0);
}

}  // namespace
}  // namespace stint::inline v0::store::redis
