// The conformance vectors on every store: each vector in an empty store, and
// all of them one after the other in a single store, whose time thus jumps by
// decades back and forth.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>

#include "selftest/runner.hpp"
#include "selftest/vectors.hpp"
#include "stint/memory_store.hpp"

namespace stint::selftest {
namespace {

struct StoreKind {
    const char* name;
    std::function<std::unique_ptr<Store>()> make;
};

void PrintTo(const StoreKind& kind, std::ostream* out) {
    *out << kind.name;
}

class Conformance : public testing::TestWithParam<std::tuple<StoreKind, const char*>> {
protected:
    [[nodiscard]] static std::unique_ptr<Store> make_store() { return std::get<0>(GetParam()).make(); }
    [[nodiscard]] static std::string text() {
        std::ifstream file{std::string{STINT_SOURCE_DIR} + "/tests/conformance/" + std::get<1>(GetParam()) + ".jsonl"};
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }
};

TEST_P(Conformance, EachVectorInAnEmptyStore) {
    const auto vectors = parse_vectors(text(), std::get<1>(GetParam()));
    ASSERT_TRUE(vectors) << vectors.error();
    ASSERT_FALSE(vectors->empty());
    for (const Vector& vector : *vectors) {
        SelftestResult result;
        std::ostringstream out;
        const auto done = run_vector(vector, *make_store(), 1, result, out);
        ASSERT_TRUE(done) << done.error();
        EXPECT_EQ(result.mismatches, 0U) << out.str();
    }
}

TEST_P(Conformance, AllVectorsInOneStore) {
    const auto store = make_store();
    std::ostringstream out;
    const auto result = run_vectors(text(), *store, out);
    ASSERT_TRUE(result) << result.error();
    EXPECT_GT(result->steps, 0U);
    EXPECT_EQ(result->mismatches, 0U) << out.str();
}

INSTANTIATE_TEST_SUITE_P(Store, Conformance,
                         testing::Combine(testing::Values(StoreKind{"memory",
                                                                    [] {
                                                                        MemoryStoreOptions options;
                                                                        options.max_memory = std::size_t{8} << 20;
                                                                        options.huge_pages = false;
                                                                        return std::make_unique<MemoryStore>(options);
                                                                    }}),
                                          testing::Values("hand", "random", "extra")),
                         [](const auto& instance) {
                             return std::string{std::get<0>(instance.param).name} + "_" + std::get<1>(instance.param);
                         });

}  // namespace
}  // namespace stint::selftest
