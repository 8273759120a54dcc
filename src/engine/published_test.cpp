// What readers and writers of a published value owe each other. Threads: two.
#include "engine/published.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <future>
#include <optional>

namespace stint::inline v0::engine {
namespace {

using std::chrono::milliseconds;

struct Number : std::enable_shared_from_this<Number> {
    explicit Number(int given) : value(given) {}
    int value;
};

milliseconds cpu_time_of_this_thread() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::duration_cast<milliseconds>(std::chrono::seconds{time.tv_sec} +
                                                    std::chrono::nanoseconds{time.tv_nsec});
}

TEST(Published, AWriterWaitsForReadersWithoutBurningItsProcessor) {
    Published<Number> published{std::make_shared<Number>(1)};
    std::future<milliseconds> replaced;
    {
        const auto reading = published.read();
        replaced = std::async(std::launch::async, [&] {
            published.replace(std::make_shared<Number>(2));
            return cpu_time_of_this_thread();
        });
        EXPECT_EQ(replaced.wait_for(milliseconds{300}), std::future_status::timeout);
        EXPECT_EQ(reading->value, 1);
    }
    EXPECT_LT(replaced.get(), milliseconds{60});
    EXPECT_EQ(published.read()->value, 2);
}

TEST(Published, WhatIsKeptHoldsNobodyUpAndLivesOn) {
    Published<Number> published{std::make_shared<Number>(1)};
    std::shared_ptr<const Number> kept = published.keep();
    const std::weak_ptr<const Number> watched = kept;
    published.replace(std::make_shared<Number>(2));
    EXPECT_EQ(kept->value, 1);
    kept.reset();
    EXPECT_FALSE(watched.expired()) << "whoever kept it need not free it";
    published.replace(std::make_shared<Number>(3));
    EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace stint::inline v0::engine
