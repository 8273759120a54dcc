// What a reader takes from the heap, counted: nothing once it has grown to its
// work, and nothing kept of a value that was much larger than others.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "resp/reader.hpp"
#include "resp/writer.hpp"

namespace {

std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> bytes_held{0};

void* take(std::size_t size) {
    void* memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc{};
    ++allocations;
    bytes_held += malloc_usable_size(memory);
    return memory;
}

void release(void* memory) noexcept {
    bytes_held -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

// The forms for arrays too: sanitizers' own do not call these.
void* operator new(std::size_t size) {
    return take(size);
}
void* operator new[](std::size_t size) {
    return take(size);
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    release(memory);
}
void operator delete[](void* memory) noexcept {
    release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    release(memory);
}

namespace stint::inline v0::resp {
namespace {

std::size_t values_in(Reader& reader, std::string_view bytes) {
    std::copy(bytes.begin(), bytes.end(), reader.prepare(bytes.size()).begin());
    reader.commit(bytes.size());
    std::size_t values = 0;
    for (auto value = reader.next(); value && *value != nullptr; value = reader.next()) ++values;
    return values;
}

TEST(Allocation, NoneInSteadyState) {
    const std::string replies = "*3\r\n$5\r\nhello\r\n%1\r\n+a\r\n:1\r\n*0\r\n+OK\r\n|1\r\n+a\r\n,1.5\r\n_\r\n";
    const std::string commands = "*2\r\n$3\r\nGET\r\n$1\r\na\r\nset a \"b c\"\r\nPING\n";
    Reader client;
    Reader server{{.input = Input::commands}};
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(values_in(client, replies), 3U);
        EXPECT_EQ(values_in(server, commands), 3U);
    }
    const std::size_t before = allocations;
    std::size_t values = 0;
    for (int i = 0; i < 1'000; ++i) values += values_in(client, replies) + values_in(server, commands);
    const std::size_t after = allocations;
    EXPECT_EQ(values, 6'000U);
    EXPECT_EQ(after - before, 0U);
}

TEST(Allocation, ALargeValueLeavesLittle) {
    std::string large;
    Writer writer{large};
    writer.array(200'000);
    for (int i = 0; i < 200'000; ++i) writer.bulk_string("0123456789");
    Reader reader;
    const std::size_t before = bytes_held;
    EXPECT_EQ(values_in(reader, large), 1U);
    const std::size_t most = bytes_held;
    EXPECT_GT(most - before, large.size() + 200'000 * sizeof(Value));
    EXPECT_EQ(values_in(reader, "+OK\r\n"), 1U);
    EXPECT_LT(bytes_held - before, 512U * 1024);
}

}  // namespace
}  // namespace stint::inline v0::resp
