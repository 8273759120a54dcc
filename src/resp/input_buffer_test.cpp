#include "resp/input_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace stint::inline v0::resp {
namespace {

void append(InputBuffer& buffer, std::string_view bytes) {
    std::copy(bytes.begin(), bytes.end(), buffer.prepare(bytes.size()).begin());
    buffer.commit(bytes.size());
}

TEST(InputBuffer, GivesBackWhatArrivedInItsOrder) {
    InputBuffer buffer;
    std::string sent;
    std::string received;
    for (std::size_t i = 0; i < 3'000; ++i) {
        const std::string piece(i % 37, static_cast<char>('a' + i % 26));
        sent += piece;
        append(buffer, piece);
        const std::size_t taken = std::min(buffer.size(), i % 41);
        received += std::string_view{buffer.data(), taken};
        buffer.consume(taken);
        ASSERT_EQ(buffer.consumed(), received.size());
    }
    received += std::string_view{buffer.data(), buffer.size()};
    EXPECT_EQ(received, sent);
}

TEST(InputBuffer, KeepsItsSizeWhileWhatArrivesIsTaken) {
    InputBuffer buffer;
    append(buffer, "begin");
    const std::size_t capacity = buffer.prepare(1).size() + buffer.size();
    for (int i = 0; i < 10'000; ++i) {
        append(buffer, std::string(100, 'x'));
        buffer.consume(100);
        ASSERT_LE(buffer.prepare(100).size() + buffer.size(), capacity);
    }
    EXPECT_EQ(buffer.size(), 5U);
}

TEST(InputBuffer, SeldomMovesWhatIsTakenSlowly) {
    InputBuffer buffer;
    append(buffer, std::string(100'000, 'x'));
    append(buffer, std::string(buffer.prepare(1).size(), 'x'));
    int moves = 0;
    for (int i = 0; i < 100'000; ++i) {
        buffer.consume(1);
        const char* before = buffer.data();
        append(buffer, "x");
        if (buffer.data() != before) ++moves;
    }
    EXPECT_LE(moves, 2);
}

TEST(InputBuffer, GivesTheMemoryOfALargeValueBack) {
    InputBuffer buffer;
    append(buffer, std::string(10'000'000, 'x'));
    buffer.consume(9'999'999);
    EXPECT_GT(buffer.prepare(1).size(), InputBuffer::kKeptBytes);
    buffer.consume(1);
    EXPECT_LE(buffer.prepare(1).size(), InputBuffer::kKeptBytes);
}

}  // namespace
}  // namespace stint::inline v0::resp
