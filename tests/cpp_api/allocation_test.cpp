// An allowed call under a limit allocates nothing, in any form.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "stint/stint.hpp"
#include "stint/testing.hpp"

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace stint::inline v0 {
namespace {

using std::chrono::minutes;

constexpr int kCalls = 100;

class AllocationTest : public ::testing::Test {
protected:
    /// Returns: what `call` allocates once everything has its place.
    template <typename Call>
    static std::size_t allocated(const Call& call) {
        call();
        const std::size_t before = allocations;
        for (int i = 0; i < kCalls; ++i) call();
        return allocations - before;
    }

    void guarded(std::string_view team) {
        STINT_RATE_LIMIT(limiter_, std::tie(team, number_), "macro", 1'000, 3600);
        ++calls_;
    }

    MemoryStore store_{{.clock = testing::ManualClock{}}};  // no part of a window ends meanwhile
    Limiter limiter_{
        store_,
        RuleSet{{Rule{.name = "file",
                      .match = {{"action", {"file"}}},
                      .key = {"team", "task"},
                      .limits = {Limit::fixed_window(1'000, minutes{60}), Limit::token_bucket(1'000, minutes{60})}}}}};
    int calls_ = 0;
    int number_ = 7;
    std::string team_ = "the name of a team that is too long for a small string";
};

TEST_F(AllocationTest, Wrapped) {
    auto call = rate_limited<"bucket">(
        limiter_, per_hour(1'000).token_bucket(), [this](const std::string&) { ++calls_; },
        [](const std::string& team) -> std::string_view { return team; });
    EXPECT_EQ(allocated([&] { call(team_); }), 0U);
    auto result = try_rate_limited<"result">(
        limiter_, per_hour(1'000).fixed_window(), [](int user, int) { return user; },
        [](int user, int task) {
            return std::tuple{user, task};
        });
    EXPECT_EQ(allocated([&] { calls_ += result(1, 2).value() == 1 ? 1 : 0; }), 0U);
    EXPECT_EQ(calls_, 2 * (kCalls + 1));
}

TEST_F(AllocationTest, ByAttributes) {
    auto call = rate_limited(
        limiter_, [this] { ++calls_; },
        [this] {
            return std::array{Attribute{"action", "file"}, Attribute{"team", team_}, Attribute{"task", "1"}};
        });
    EXPECT_EQ(allocated(call), 0U);
    EXPECT_EQ(calls_, kCalls + 1);
    EXPECT_EQ(limiter_.peek({{"action", "file"}, {"team", team_}, {"task", "1"}}).remaining, 1'000U - kCalls - 1)
        << "both limits were asked";
}

TEST_F(AllocationTest, AtTheHeadOfAFunction) {
    EXPECT_EQ(allocated([&] { guarded(team_); }), 0U);
    EXPECT_EQ(calls_, kCalls + 1);
}

}  // namespace
}  // namespace stint::inline v0
