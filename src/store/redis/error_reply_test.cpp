#include "store/redis/error_reply.hpp"

#include <gtest/gtest.h>

namespace stint::inline v0::store::redis {
namespace {

TEST(ErrorReply, EachErrorHasItsMeaning) {
    struct Case {
        const char* error;
        Remedy remedy;
        StoreError store_error;
        bool leave;
    };
    for (const Case& expected : {
             Case{"NOSCRIPT No matching script. Please use EVAL.", Remedy::load_scripts, StoreError::unavailable,
                  false},
             Case{"READONLY You can't write against a read only replica.", Remedy::reconnect, StoreError::unavailable,
                  true},
             Case{"LOADING Redis is loading the dataset in memory", Remedy::fail, StoreError::unavailable, true},
             Case{"MASTERDOWN Link with MASTER is down", Remedy::fail, StoreError::unavailable, true},
             Case{"CLUSTERDOWN The cluster is down", Remedy::fail, StoreError::unavailable, true},
             Case{"BUSY Redis is busy running a script.", Remedy::fail, StoreError::unavailable, true},
             Case{"TRYAGAIN Multiple keys request during rehashing of slot", Remedy::try_again, StoreError::unavailable,
                  false},
             Case{"OOM command not allowed when used memory > 'maxmemory'.", Remedy::fail, StoreError::refused, false},
             Case{"NOPERM User x has no permissions", Remedy::fail, StoreError::refused, false},
             Case{"NOAUTH Authentication required.", Remedy::fail, StoreError::refused, true},
             Case{"MISCONF Redis is configured to save", Remedy::fail, StoreError::refused, false},
             Case{"ERR whatever", Remedy::fail, StoreError::refused, false},
             Case{"", Remedy::fail, StoreError::refused, false},
         }) {
        const ErrorMeaning meaning = meaning_of(expected.error);
        EXPECT_EQ(meaning.remedy, expected.remedy) << expected.error;
        EXPECT_EQ(meaning.error, expected.store_error) << expected.error;
        EXPECT_EQ(meaning.leave, expected.leave) << expected.error;
    }
}

TEST(ErrorReply, WhatAnOldServerWrapsIsSeenInside) {
    const char* wrapped =
        "ERR Error running script (call to f_0123): @user_script:97: -READONLY You can't write against a replica.";
    EXPECT_EQ(code_of(wrapped), "READONLY");
    EXPECT_EQ(meaning_of(wrapped).remedy, Remedy::reconnect);
    EXPECT_EQ(code_of("ERR Error running script (call to f_0123): attempt to index a nil value"), "ERR");
}

TEST(ErrorReply, RedirectsNameSlotAndServer) {
    const auto moved = read_redirect("MOVED 866 127.0.0.1:7001");
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->slot, 866);
    EXPECT_EQ(moved->to, (Endpoint{"127.0.0.1", 7001}));
    EXPECT_EQ(read_redirect("ASK 16383 fe80::1:7002")->to, (Endpoint{"fe80::1", 7002}));
    EXPECT_EQ(read_redirect("MOVED 1 redis-3.example:6379")->to, (Endpoint{"redis-3.example", 6379}));
}

TEST(ErrorReply, ARedirectWithoutHostKeepsTheHost) {
    EXPECT_EQ(read_redirect("MOVED 866 :7001")->to, (Endpoint{"", 7001}));
    EXPECT_EQ(read_redirect("MOVED 866 ?:7001")->to, (Endpoint{"", 7001}));
}

TEST(ErrorReply, WhatIsNoRedirectIsNone) {
    for (const char* error :
         {"MOVED", "MOVED ", "MOVED 866", "MOVED x 127.0.0.1:7001", "MOVED 16384 127.0.0.1:7001", "MOVED 866 127.0.0.1",
          "MOVED 866 127.0.0.1:", "MOVED 866 127.0.0.1:x", "MOVED 866 127.0.0.1:65536", "ASK -1 127.0.0.1:7001"}) {
        EXPECT_FALSE(read_redirect(error)) << error;
    }
}

}  // namespace
}  // namespace stint::inline v0::store::redis
