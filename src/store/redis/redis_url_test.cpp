#include "store/redis/redis_url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "stint/error.hpp"

namespace stint::inline v0::store::redis {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string complaint(std::string_view url) {
    try {
        (void)parse_redis_url(url);
        return "none";
    } catch (const ConfigError& error) {
        return error.what();
    }
}

/// A file that is removed with the object.
class File {
public:
    explicit File(const std::string& text)
        : path_(std::filesystem::path{testing::TempDir()} /
                (std::string{"stint_"} + testing::UnitTest::GetInstance()->current_test_info()->name())) {
        std::ofstream{path_} << text;
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { std::filesystem::remove(path_); }
    [[nodiscard]] std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

TEST(RedisUrl, NamesOneServer) {
    const RedisOptions options = parse_redis_url("redis://redis.example:7000/3");
    EXPECT_EQ(options.topology, Topology::single);
    EXPECT_FALSE(options.tls);
    EXPECT_THAT(options.addresses, ElementsAre(Address{"redis.example", 7000}));
    EXPECT_EQ(options.database, 3);
    EXPECT_THAT(parse_redis_url("redis://h").addresses, ElementsAre(Address{"h", 6379}));
    EXPECT_THAT(parse_redis_url("redis://[::1]").addresses, ElementsAre(Address{"::1", 6379}));
    EXPECT_THAT(parse_redis_url("redis://[2001:db8::7]:7001/").addresses, ElementsAre(Address{"2001:db8::7", 7001}));
}

TEST(RedisUrl, LeavesTheOtherOptionsAsTheyAre) {
    const RedisOptions read = parse_redis_url("redis://127.0.0.1");
    const RedisOptions made;
    EXPECT_EQ(read.addresses, made.addresses);
    EXPECT_EQ(read.prefix, made.prefix);
    EXPECT_EQ(read.deadline, made.deadline);
    EXPECT_EQ(read.connections, made.connections);
    EXPECT_EQ(read.digest_key_names, made.digest_key_names);
    EXPECT_EQ(read.user + read.password, "");
}

TEST(RedisUrl, DecodesUserAndPassword) {
    const RedisOptions options = parse_redis_url("redis://ann%40x:p%3Ass%25w%2F%00@h");
    EXPECT_EQ(options.user, "ann@x");
    EXPECT_EQ(options.password, std::string("p:ss%w/\0", 8));
    EXPECT_EQ(parse_redis_url("redis://:secret@h").user, "");
    EXPECT_EQ(parse_redis_url("redis://:secret@h").password, "secret");
    EXPECT_EQ(parse_redis_url("redis://u:a:b@h").password, "a:b");
}

TEST(RedisUrl, NamesSentinels) {
    const RedisOptions options =
        parse_redis_url("rediss+sentinel://stint:pw@s1,s2:7002,[::1]/mymaster/2?sentinel_user=watcher");
    EXPECT_EQ(options.topology, Topology::sentinel);
    EXPECT_TRUE(options.tls);
    EXPECT_THAT(options.addresses, ElementsAre(Address{"s1", 26379}, Address{"s2", 7002}, Address{"::1", 26379}));
    EXPECT_EQ(options.primary_name, "mymaster");
    EXPECT_EQ(options.database, 2);
    EXPECT_EQ(options.user, "stint");
    EXPECT_EQ(options.sentinel_user, "watcher");
    EXPECT_THAT(complaint("redis+sentinel://s1,s2"), HasSubstr("name by which the Sentinels know the server"));
}

TEST(RedisUrl, NamesNodesOfACluster) {
    const RedisOptions options = parse_redis_url("redis+cluster://a:7000,b,[::1]:7001");
    EXPECT_EQ(options.topology, Topology::cluster);
    EXPECT_THAT(options.addresses, ElementsAre(Address{"a", 7000}, Address{"b", 6379}, Address{"::1", 7001}));
    EXPECT_EQ(parse_redis_url("redis+cluster://a/0").database, 0);
    EXPECT_THAT(complaint("redis+cluster://a/1"), HasSubstr("a cluster has no databases but 0"));
}

TEST(RedisUrl, SetsEveryOption) {
    const File password{"s3cret\n"};
    const RedisOptions options = parse_redis_url(
        "rediss://h?ca=/ca.pem&cert=/c.pem&key=/k.pem&server_name=redis.internal&prefix=rl%3A&connections=4"
        "&deadline=50ms&deny_cache=off&user=stint&key_names=digest&password_file=" +
        password.path());
    EXPECT_EQ(options.ca_file, "/ca.pem");
    EXPECT_EQ(options.certificate_file, "/c.pem");
    EXPECT_EQ(options.key_file, "/k.pem");
    EXPECT_EQ(options.server_name, "redis.internal");
    EXPECT_EQ(options.prefix, "rl:");
    EXPECT_EQ(options.connections, 4U);
    EXPECT_EQ(options.deadline, milliseconds{50});
    EXPECT_FALSE(options.deny_cache);
    EXPECT_EQ(options.user, "stint");
    EXPECT_EQ(options.password, "s3cret");
    EXPECT_EQ(options.password_file, password.path());
    EXPECT_TRUE(options.digest_key_names);
    EXPECT_EQ(parse_redis_url("redis://h?prefix=").prefix, "");
    EXPECT_EQ(parse_redis_url("redis+sentinel://h/m?sentinel_password_file=" + password.path()).sentinel_password,
              "s3cret");
}

TEST(RedisUrl, ReadsADigestKey) {
    const File key{"000102030405060708090a0b0c0d0eFF\n"};
    const RedisOptions options = parse_redis_url("redis://h?digest_key_file=" + key.path());
    EXPECT_EQ(options.digest_key[1], 1);
    EXPECT_EQ(options.digest_key[15], 255);
}

TEST(RedisUrl, ADigestKeyHasThirtyTwoDigits) {
    const File key{"0001020304"};
    EXPECT_THAT(complaint("redis://h?digest_key_file=" + key.path()), HasSubstr("does not hold 32 hexadecimal digits"));
}

TEST(RedisUrl, SaysWhatIsWrong) {
    struct Case {
        const char* url;
        const char* complaint;
    };
    for (const auto& [url, expected] : std::array<Case, 27>{{
             {"localhost:6379", "expected redis://host:port/database or the like"},
             {"redi://h", "unknown scheme; did you mean 'redis'?"},
             {"redis+cluser://h", "unknown scheme; did you mean 'redis+cluster'?"},
             {"redis://", "a host is missing"},
             {"redis://:6379", "a host is missing"},
             {"redis+cluster://a,,b", "a host is missing"},
             {"redis+cluster://a,", "a host is missing"},
             {"redis://h:0", "port: expected a whole number from 1 to 65535"},
             {"redis://h:65536", "port: expected a whole number from 1 to 65535"},
             {"redis://h:", "port: expected a whole number from 1 to 65535"},
             {"redis://::1", "IPv6 addresses are written in brackets"},
             {"redis://[::1", "host: ']' is missing"},
             {"redis://[127.0.0.1]", "between '[' and ']' stands an IPv6 address"},
             {"redis://[::1]6379", "port: expected a whole number from 1 to 65535"},
             {"redis://a b", "host: letters, digits"},
             {"redis://a,b", "several hosts need redis+sentinel:// or redis+cluster://"},
             {"redis://h/x", "database: expected a whole number from 0 to 65535"},
             {"redis://h/1/2", "database: expected a whole number from 0 to 65535"},
             {"redis://%4:x@h", "user: after '%' stand two hexadecimal digits"},
             {"redis://u@h", "the user has no password"},
             {"redis://h?cert=/c", "cert and key go together"},
             {"redis://h?ca=/c", "need TLS: rediss instead of redis"},
             {"redis://h?deny_cache=no", "deny_cache: on and off are possible"},
             {"redis://h?deadline=5", "deadline: '5' has no unit"},
             {"redis://h?connections=65", "connections: expected a whole number from 1 to 64"},
             {"redis://h?key_names=hash", "key_names: plain and digest are possible"},
             {"redis://h?password_file=/none/such", "password_file: /none/such cannot be read"},
         }}) {
        EXPECT_THAT(complaint(url), HasSubstr(expected)) << url;
    }
}

// Nobody writes this pipe: whoever opened it to read would wait.
TEST(RedisUrl, ASecretLiesInARegularFile) {
    const std::string pipe = testing::TempDir() + "stint_pipe_" + std::to_string(::getpid());
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT(complaint("redis://h?password_file=" + pipe),
                HasSubstr("password_file: " + pipe + " is not a regular file"));
    std::filesystem::remove(pipe);
    EXPECT_THAT(complaint("redis://h?password_file=/tmp"), HasSubstr("password_file: /tmp is not a regular file"));
}

TEST(RedisUrl, SuggestsTheOptionThatWasMeant) {
    EXPECT_THAT(complaint("redis://h?conections=2"),
                HasSubstr("unknown option 'conections'; did you mean 'connections'?"));
    EXPECT_THAT(complaint("redis://h?prefix=a&prefix=b"), HasSubstr("prefix: given twice"));
    EXPECT_THAT(complaint("redis://u:p@h?user=v"), HasSubstr("user: given twice"));
    EXPECT_THAT(complaint("redis://h?deadline="), HasSubstr("deadline: a value is missing"));
    EXPECT_THAT(complaint("redis://h?sentinel_user=x"), HasSubstr("need redis+sentinel://"));
}

TEST(RedisUrl, ListsEveryProblem) {
    try {
        (void)parse_redis_url("redis://h:0/x?deadline=soon&prefx=a");
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.problems().size(), 4U) << error.what();
    }
}

// Passwords are written wrongly now and then; whatever is made of them, they are not shown.
TEST(RedisUrl, NoPasswordIsEverShown) {
    for (const char* url :
         {"redis://u:hunter2/x@h", "redis://u:hunter2?x@h", "redis://u:hunter2#x@h", "redis://:hunter2",
          "redis://u:hunter2%@h:0", "redis://u:hunter2@h:x/y?z=1", "hunter2", "u:hunter2@h", "hunter2://h",
          "redis://hunter2!@", "redis://u:x/hunter2@h", "redis://u:hunter2@h?password=hunter2", "redis://u:hunter2@[h]",
          "redis://u:hunter2@a,b", "redis+cluster://u:x,hunter2/@h"}) {
        EXPECT_THAT(complaint(url), Not(HasSubstr("hunter2"))) << url;
        EXPECT_NE(complaint(url), "none") << url;
    }
}

TEST(RedisUrl, IsShownWithoutPasswords) {
    EXPECT_EQ(url_without_secrets(parse_redis_url("redis://u:hunter2@[::1]:7/2?prefix=x")), "redis://u@[::1]:7/2");
    EXPECT_EQ(url_without_secrets(parse_redis_url("rediss+sentinel://:hunter2@a,b:1/m")),
              "rediss+sentinel://a:26379,b:1/m");
    EXPECT_TRUE(is_redis_url("rediss+cluster://h"));
    EXPECT_FALSE(is_redis_url("memory://"));
}

}  // namespace
}  // namespace stint::inline v0::store::redis
