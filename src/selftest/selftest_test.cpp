// The vectors' reader, which must be strict, and the command around it.
#include "selftest/selftest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "selftest/runner.hpp"
#include "selftest/vectors.hpp"
#include "stint/memory_store.hpp"

namespace stint::inline v0::selftest {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr const char* kLimit = R"({"algorithm":"fixed_window","limit":1,"period_us":1000000,"anchor":"first"})";

std::string vector_of(const std::string& limit, const std::string& steps) {
    return R"({"id":"V1","title":"t","limit":)" + limit + R"(,"steps":[)" + steps + "]}\n";
}

std::string step(const std::string& retry_after, bool allowed) {
    return std::string{R"({"t_us":5,"key":"k","cost":1,"allowed":)"} + (allowed ? "true" : "false") +
           R"(,"remaining":0,"retry_after_us":)" + retry_after + R"(,"reset_after_us":1000000})";
}

std::string complaint(const std::string& text) {
    const auto vectors = parse_vectors(text, "f.jsonl");
    return vectors ? "none" : vectors.error();
}

/// A file of vectors that is removed with the object.
class VectorFile {
public:
    explicit VectorFile(const std::string& text)
        : path_(std::filesystem::path{testing::TempDir()} /
                (std::string{"stint_"} + testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl")) {
        std::ofstream{path_} << text;
    }
    VectorFile(const VectorFile&) = delete;
    VectorFile& operator=(const VectorFile&) = delete;
    ~VectorFile() { std::filesystem::remove(path_); }
    [[nodiscard]] std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

TEST(Vectors, ReadEveryField) {
    const auto vectors = parse_vectors(
        "\n" +
            vector_of(
                R"({"algorithm":"token_bucket","limit":3,"period_us":7,"capacity":5,"count_denied":true})",
                R"({"t_us":9,"key":"a\u0000","cost":0,"allowed":true,"remaining":2,"retry_after_us":"never","reset_after_us":4})"),
        "f.jsonl");
    ASSERT_TRUE(vectors) << vectors.error();
    ASSERT_EQ(vectors->size(), 1U);
    const Vector& vector = vectors->front();
    EXPECT_EQ(vector.id, "V1");
    EXPECT_EQ(vector.line, 2U);
    EXPECT_EQ(vector.limit.algorithm, Algorithm::token_bucket);
    EXPECT_EQ(vector.limit.limit, 3U);
    EXPECT_EQ(vector.limit.per, Duration{7});
    EXPECT_EQ(vector.limit.capacity, 5U);
    EXPECT_TRUE(vector.limit.count_denied);
    ASSERT_EQ(vector.steps.size(), 1U);
    EXPECT_EQ(vector.steps[0].time, Instant{Duration{9}});
    EXPECT_EQ(vector.steps[0].key, std::string("a\0", 2));
    EXPECT_EQ(vector.steps[0].cost, 0U);
    EXPECT_EQ(vector.steps[0].retry_after, kNever);
    EXPECT_EQ(vector.steps[0].reset_after, Duration{4});
}

TEST(Vectors, ComplaintsNameFileLineAndField) {
    EXPECT_THAT(complaint("\n{\n"), HasSubstr("f.jsonl:2: no JSON: "));
    EXPECT_EQ(complaint("[]"), "f.jsonl:1: must be an object");
    EXPECT_EQ(complaint(R"({"id":"x","steps":[]})"), "f.jsonl:1: limit: missing");
    EXPECT_EQ(complaint(vector_of(R"({"algorithm":"fixed_window","limit":1,"period":5})", "")),
              "f.jsonl:1: limit.period: unknown field");
    EXPECT_EQ(complaint(vector_of(R"({"algorithm":"fixed_window","limit":-1,"period_us":5})", "")),
              "f.jsonl:1: limit.limit: must be a whole number, 0 or more");
    EXPECT_EQ(complaint(vector_of(R"({"algorithm":"fixed_window","limit":1})", "")),
              "f.jsonl:1: limit.period_us: missing");
    EXPECT_EQ(complaint(vector_of(R"({"algorithm":"gcra","limit":1,"period_us":5})", "")),
              "f.jsonl:1: limit.algorithm: 'gcra' is none of fixed_window, sliding_window, sliding_log, token_bucket");
    EXPECT_EQ(complaint(vector_of(kLimit, step("0", true) + "," + step("1.5", true))),
              "f.jsonl:1: steps[2].retry_after_us: must be a whole number of microseconds");
}

TEST(Runner, TellsEachFieldThatDiffers) {
    MemoryStore store;
    std::ostringstream out;
    const auto result = run_vectors(vector_of(kLimit, step("0", true) + "," + step("7", true)), store, out);
    ASSERT_TRUE(result) << result.error();
    EXPECT_EQ(result->vectors, 1U);
    EXPECT_EQ(result->steps, 2U);
    EXPECT_EQ(result->mismatches, 2U);
    EXPECT_EQ(out.str(),
              "V1: step 2: allowed: expected true, got false\n"
              "V1: step 2: retry_after_us: expected 7, got 1000000\n");
}

TEST(Runner, GivesEachVectorAnEmptyCounter) {
    MemoryStore store;
    std::ostringstream out;
    const std::string vector = vector_of(kLimit, step("0", true));
    const auto result = run_vectors(vector + vector, store, out);
    ASSERT_TRUE(result) << result.error();
    EXPECT_EQ(result->mismatches, 0U) << out.str();
}

/// A store that fails at its third check, and notes which keys are reset.
class WatchedStore : public Store {
public:
    void decide(std::span<Check> checks, std::optional<Instant> now) noexcept override {
        inner_.decide(checks, now);
        if (++calls_ == 3) checks[0].error = StoreError::timeout;
    }
    void refund(const Limit&, const Answer&, std::uint64_t, std::optional<Instant>) noexcept override {}
    ChangeAnswer release(const CounterRef&, std::uint64_t, std::optional<Instant>) noexcept override { return {}; }
    ChangeAnswer renew(const CounterRef&, std::uint64_t, std::optional<Instant>) noexcept override { return {}; }
    ChangeAnswer reset(const Ask& ask) noexcept override {
        reset_keys.emplace_back(ask.key);
        return {true};
    }
    [[nodiscard]] std::optional<std::string> refusal(const Limit&) const override { return std::nullopt; }
    [[nodiscard]] Instant now() const noexcept override { return inner_.now(); }

    std::vector<std::string> reset_keys;

private:
    MemoryStore inner_;
    int calls_ = 0;
};

TEST(Runner, SaysWhereTheStoreFailed) {
    WatchedStore store;
    std::ostringstream out;
    const std::string vector = vector_of(kLimit, step("0", true) + "," + step("1000000", false));
    const auto result = run_vectors(vector + vector, store, out);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), "V1: step 1: the store did not decide: timeout");
}

TEST(Runner, LeavesNoKeyBehind) {
    WatchedStore store;
    std::ostringstream out;
    const auto result = run_vectors(vector_of(kLimit, step("0", true) + "," + step("1000000", false)), store, out);
    ASSERT_TRUE(result) << result.error();
    EXPECT_THAT(store.reset_keys, testing::ElementsAre("k"));
}

TEST(Selftest, PassesTheVectorsThatAreBuiltIn) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(selftest({}, out, err), 0) << out.str() << err.str();
    EXPECT_THAT(out.str(), EndsWith(" 0 mismatches\n"));
    EXPECT_EQ(err.str(), "");
}

TEST(Selftest, ExitsWith1OnAMismatch) {
    const VectorFile file{vector_of(kLimit, step("7", true))};
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(selftest({.vectors = file.path()}, out, err), 1);
    EXPECT_EQ(out.str(), "V1: step 1: retry_after_us: expected 7, got 0\n1 vector, 1 step, 1 mismatch\n");
}

TEST(Selftest, LinesAndFilesHaveABound) {
    const auto complaint_about = [](const std::string& path) {
        std::ostringstream out;
        std::ostringstream err;
        EXPECT_EQ(selftest({.vectors = path}, out, err), 2);
        return err.str();
    };
    EXPECT_EQ(complaint_about("/dev/zero"), "selftest: /dev/zero:1: the line has more than 1048576 bytes\n");
    const VectorFile long_line{"\n\n" + std::string(std::size_t{1} << 20, ' ') + "\n" +
                               std::string((std::size_t{1} << 20) + 1, ' ')};
    EXPECT_THAT(complaint_about(long_line.path()), HasSubstr(".jsonl:4: the line has more than 1048576 bytes"));
    std::string lines(std::size_t{64} << 20, ' ');
    for (std::size_t i = 0; i < lines.size(); i += 4096) lines[i] = '\n';
    {
        const VectorFile largest{lines};
        EXPECT_THAT(complaint_about(largest.path()), HasSubstr("no vectors"));
    }
    const VectorFile larger{lines + ' '};
    EXPECT_THAT(complaint_about(larger.path()), HasSubstr(".jsonl:16385: the file has more than 67108864 bytes"));
}

TEST(Selftest, ExitsWith2OnWhatItCannotUse) {
    const VectorFile file{"\n" + vector_of(R"({"algorithm":"fixed_window","limit":1,"period_us":0})", "")};
    const auto run = [](const SelftestOptions& options) {
        std::ostringstream out;
        std::ostringstream err;
        EXPECT_EQ(selftest(options, out, err), 2);
        EXPECT_EQ(out.str(), "");
        return err.str();
    };
    EXPECT_THAT(run({.vectors = file.path()}), HasSubstr(file.path() + ":2: V1: "));
    EXPECT_THAT(run({.vectors = "/no/such/file"}), HasSubstr("/no/such/file: cannot be read"));
    EXPECT_THAT(run({.vectors = ""}), HasSubstr("--vectors: the name of a file is expected"));
    EXPECT_THAT(run({.vectors = ""}), HasSubstr("--vectors: the name of a file is expected"));
    EXPECT_THAT(run({.vectors = "/"}), HasSubstr("/: cannot be read"));
    EXPECT_THAT(run({.vectors = "/dev/null"}), HasSubstr("/dev/null: no vectors"));
    EXPECT_THAT(run({.store = "memory:"}), HasSubstr("--store: expected memory:// or redis://"));
    EXPECT_THAT(run({.store = "redis://h?dealine=1s"}), HasSubstr("did you mean 'deadline'?"));
    EXPECT_THAT(run({.store = "redis://127.0.0.1:1"}),
                HasSubstr("the store cannot be reached: 127.0.0.1:1: cannot connect: Connection refused"));
}

}  // namespace
}  // namespace stint::inline v0::selftest
