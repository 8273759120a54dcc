#include "store/redis/batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "resp/reader.hpp"
#include "store/redis/testing_check.hpp"

namespace stint::inline v0::store::redis {
namespace {

const Limit kTen = Limit::fixed_window(10, std::chrono::seconds{60});
const Limit kLog = Limit::sliding_log(10, std::chrono::seconds{60});

/// Reads what a call writes.
std::vector<std::vector<std::string>> commands_of(const Call& call) {
    std::string bytes;
    call.write("sha", bytes);
    resp::Reader reader{{.input = resp::Input::commands}};
    std::ranges::copy(bytes, reader.prepare(bytes.size()).begin());
    reader.commit(bytes.size());
    std::vector<std::vector<std::string>> commands;
    for (auto value = reader.next(); value && *value != nullptr; value = reader.next()) {
        std::vector<std::string>& words = commands.emplace_back();
        for (const resp::Value& word : **value) words.emplace_back(word.text());
    }
    return commands;
}

/// Answers calls of fixed windows as lua/single.lua does, all at one time.
class FixedWindows {
public:
    std::string answer(const Call& call) {
        const std::vector<std::string> words = commands_of(call).at(0);
        const std::size_t keys = std::stoul(words.at(2));
        std::string reply = time_bytes(1000);
        for (std::size_t i = 0; i < keys; ++i) {
            const std::string& args = words.at(3 + keys + 1 + i);
            const std::uint64_t cost = read_number(args, 8, 7);
            const std::uint64_t count = read_number(args, kCountAt, kCountBytes);
            const bool takes = args.at(19) == 1;
            const std::uint64_t limit = read_number(args, 21, 7);
            std::uint64_t& used = used_[words.at(3 + i)];
            const std::uint64_t granted = std::min(count, (std::max(limit, used) - used) / cost);
            if (takes) used += granted * cost;
            reply += answer_bytes(static_cast<std::uint32_t>(granted), used, used > 0 ? 60'000'000 : 0, 60'001'000,
                                  60'000'000);
        }
        return reply;
    }

private:
    std::map<std::string, std::uint64_t> used_;
};

class BatchTest : public testing::Test {
protected:
    TestCheck& add(AskSpec spec, bool peek = false) {
        TestCheck& check = checks_.emplace_back(std::move(spec), peek);
        queue_.push_back(check.job());
        return check;
    }
    std::deque<TestCheck> checks_;
    JobQueue queue_;
    std::vector<JobPtr> again_;
};

TEST_F(BatchTest, EqualChecksOfOneKeyBecomeOneQuestion) {
    for (int i = 0; i < 3; ++i) add({.key = "a"});
    add({.key = "b"});
    auto calls = make_calls(queue_, 8);
    ASSERT_EQ(calls.size(), 1U);
    const auto words = commands_of(calls[0]).at(0);
    ASSERT_EQ(words.size(), 8U);
    EXPECT_EQ(words[0], "EVALSHA");
    EXPECT_EQ(words[2], "2");
    EXPECT_EQ(words[3], "stint:1:rule:{key=a}");
    EXPECT_EQ(words[5], "");
    EXPECT_EQ(read_number(words[6], kCountAt, kCountBytes), 3U);
    EXPECT_EQ(read_number(words[7], kCountAt, kCountBytes), 1U);
    calls[0].fail(StoreError::unavailable);
}

TEST_F(BatchTest, GrantsGoToTheFirstThatCame) {
    for (int i = 0; i < 4; ++i) add({.key = "a"});
    auto calls = make_calls(queue_, 8);
    calls[0].deliver(time_bytes(5) + answer_bytes(3, 10, 50, 55, 50), again_);
    EXPECT_TRUE(checks_[0].check.allowed && checks_[1].check.allowed && checks_[2].check.allowed);
    EXPECT_FALSE(checks_[3].check.allowed);
    EXPECT_EQ(checks_[0].answer().remaining, 2U);  // 7 were used before, and it took one
    EXPECT_EQ(checks_[1].answer().remaining, 1U);
    EXPECT_EQ(checks_[2].answer().remaining, 0U);
    EXPECT_EQ(checks_[3].answer().retry_after, Duration{50});
}

TEST_F(BatchTest, MergedChecksAreAnsweredAsOneAfterTheOther) {
    std::mt19937 random{std::random_device{}()};
    const auto seed = random();
    random.seed(seed);
    for (int round = 0; round < 200; ++round) {
        FixedWindows merged;
        FixedWindows single;
        checks_.clear();
        std::deque<TestCheck> alone;
        for (int i = 0; i < 40; ++i) {
            const AskSpec spec{.key = std::string(1, static_cast<char>('a' + random() % 3)), .cost = 1 + random() % 2};
            const bool peek = random() % 5 == 0;
            add(spec, peek);
            JobQueue one;
            one.push_back(alone.emplace_back(spec, peek).job());
            auto call = make_calls(one, 1);
            call[0].deliver(single.answer(call[0]), again_);
        }
        auto calls = make_calls(queue_, 8);
        ASSERT_EQ(calls.size(), 1U);
        calls[0].deliver(merged.answer(calls[0]), again_);
        for (std::size_t i = 0; i < alone.size(); ++i) {
            ASSERT_TRUE(checks_[i].done());
            EXPECT_EQ(checks_[i].check.allowed, alone[i].check.allowed) << "seed " << seed << ", check " << i;
            EXPECT_EQ(checks_[i].answer().remaining, alone[i].answer().remaining) << "seed " << seed;
            EXPECT_EQ(checks_[i].answer().retry_after, alone[i].answer().retry_after) << "seed " << seed;
            EXPECT_EQ(checks_[i].answer().reset_after, alone[i].answer().reset_after) << "seed " << seed;
            EXPECT_EQ(checks_[i].answer().charged, alone[i].answer().charged) << "seed " << seed;
            EXPECT_EQ(checks_[i].answer().moment, alone[i].answer().moment) << "seed " << seed;
        }
    }
}

TEST_F(BatchTest, WhatIsAskedOfOneKeyKeepsItsOrderAcrossScripts) {
    add({.key = "a", .limits = {kTen}});
    add({.key = "a", .limits = {kTen, kLog}});  // another script
    add({.key = "a", .limits = {kTen}});        // may not join the first call
    add({.key = "b", .limits = {kTen}});
    auto calls = make_calls(queue_, 8);
    ASSERT_EQ(calls.size(), 3U);
    EXPECT_EQ(calls[0].script(), ScriptId::fixed_window);
    EXPECT_EQ(calls[1].script(), ScriptId::together);
    EXPECT_EQ(calls[2].script(), ScriptId::fixed_window);
    EXPECT_EQ(commands_of(calls[0]).at(0).at(2), "1");
    EXPECT_EQ(commands_of(calls[2]).at(0).at(2), "2");
    for (Call& call : calls) call.fail(StoreError::unavailable);
}

TEST_F(BatchTest, ChecksOfOtherTimesAreOtherCalls) {
    for (const std::int64_t time : {1, 1, 2}) {
        queue_.push_back(checks_.emplace_back(AskSpec{.key = "a"}).job(Clock::now() + std::chrono::hours{1}, time));
    }
    auto calls = make_calls(queue_, 8);
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(commands_of(calls[0]).at(0).at(4), "1");
    EXPECT_EQ(commands_of(calls[1]).at(0).at(4), "2");
    for (Call& call : calls) call.fail(StoreError::unavailable);
}

TEST_F(BatchTest, ACallHasAtMost128Keys) {
    for (int i = 0; i < 300; ++i) add({.key = std::to_string(i)});
    auto calls = make_calls(queue_, 2);
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(queue_.size(), 44U);
    for (Call& call : calls) call.fail(StoreError::unavailable);
    queue_.fail_all(StoreError::unavailable);
}

TEST_F(BatchTest, SlotsAreAskedApartAndAskingGoesBefore) {
    const auto put = [this](const char* key, std::uint16_t slot, bool asking, bool alone) {
        JobPtr job = checks_.emplace_back(AskSpec{.key = key}).job();
        job->slot = slot;
        job->asking = asking;
        job->alone = alone;
        queue_.push_back(std::move(job));
    };
    put("a", 1, false, false);
    put("b", 1, false, false);
    put("c", 2, false, false);
    put("d", 3, false, true);
    put("e", 3, false, true);
    put("e", 3, false, true);
    put("f", 3, false, false);
    put("g", 2, true, false);
    auto calls = make_calls(queue_, 100);
    ASSERT_EQ(calls.size(), 6U);
    EXPECT_EQ(commands_of(calls[0]).at(0).at(2), "2");
    EXPECT_EQ(commands_of(calls[3]).at(0).at(2), "1");  // both of e
    EXPECT_EQ(read_number(commands_of(calls[3]).at(0).at(5), kCountAt, kCountBytes), 2U);
    EXPECT_EQ(commands_of(calls[5]).at(0).at(0), "ASKING");
    EXPECT_EQ(commands_of(calls[5]).at(1).at(0), "EVALSHA");
    for (Call& call : calls) call.fail(StoreError::unavailable);
}

TEST_F(BatchTest, ACalendarWindowElsewhereIsAskedForAgainOnce) {
    const Limit day = Limit::make(
        {.algorithm = Algorithm::fixed_window, .limit = 3, .anchor = Anchor::calendar, .unit = CalendarUnit::day});
    add({.key = "a", .limits = {day}});
    constexpr std::int64_t kDay = 86'400'000'000;
    auto calls = make_calls(queue_, 8);
    calls[0].deliver(time_bytes(20'000 * kDay + 5) + answer_bytes(kAskAgain, 0), again_);
    ASSERT_EQ(again_.size(), 1U);
    EXPECT_FALSE(checks_[0].done());
    EXPECT_EQ(read_number(again_[0]->args, 20 + 16 + 7, kTimeBytes), static_cast<std::uint64_t>(20'000 * kDay));
    queue_.put_back(std::exchange(again_, {}));
    calls = make_calls(queue_, 8);
    calls[0].deliver(time_bytes(20'001 * kDay) + answer_bytes(kAskAgain, 0), again_);
    EXPECT_TRUE(again_.empty());
    EXPECT_EQ(checks_[0].check.error, StoreError::unavailable);
}

TEST_F(BatchTest, AJobThatIsDueGetsNoAnswerAndTheOthersDo) {
    const auto now = Clock::now();
    for (const int ms : {10, 20}) {
        queue_.push_back(checks_.emplace_back(AskSpec{.key = "a"}).job(now + std::chrono::milliseconds{ms}));
    }
    auto calls = make_calls(queue_, 8);
    EXPECT_EQ(calls[0].expire(now + std::chrono::milliseconds{10}), now + std::chrono::milliseconds{20});
    calls[0].deliver(time_bytes(5) + answer_bytes(2, 2), again_);
    EXPECT_EQ(checks_[0].check.error, StoreError::timeout);
    EXPECT_EQ(checks_[1].check.error, StoreError::none);
    EXPECT_EQ(checks_[1].answer().remaining, 8U);
}

TEST_F(BatchTest, AReplyThatIsTooShortIsARefusal) {
    add({.key = "a"});
    add({.key = "b"});
    auto calls = make_calls(queue_, 8);
    calls[0].deliver((time_bytes(5) + answer_bytes(1, 1)).substr(0, 38), again_);
    EXPECT_EQ(checks_[0].check.error, StoreError::refused);
    EXPECT_EQ(checks_[1].check.error, StoreError::refused);
}

TEST_F(BatchTest, AKeyThatIsNotOursFailsAlone) {
    add({.key = "a"});
    add({.key = "b"});
    auto calls = make_calls(queue_, 8);
    calls[0].deliver(time_bytes(5) + answer_bytes(kFailed, 0) + answer_bytes(1, 1), again_);
    EXPECT_EQ(checks_[0].check.error, StoreError::refused);
    EXPECT_TRUE(checks_[1].check.allowed);
}

}  // namespace
}  // namespace stint::inline v0::store::redis
