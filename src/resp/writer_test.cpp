#include "resp/writer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "resp/examples.hpp"
#include "resp/reader.hpp"
#include "resp/transcript.hpp"

namespace stint::inline v0::resp {
namespace {

using namespace std::string_literals;

template <typename Write>
std::string written(Version version, Write write) {
    std::string out = "kept ";
    Writer writer{out, version};
    write(writer);
    EXPECT_TRUE(out.starts_with("kept "));
    return out.substr(5);
}

TEST(Writer, WritesCommands) {
    EXPECT_EQ(written(Version::resp2, [](Writer& to) { to.command({"GET", ""}); }), "*2\r\n$3\r\nGET\r\n$0\r\n\r\n");
    const std::array<std::string_view, 2> arguments{"ECHO", {"\r\n\0", 3}};
    EXPECT_EQ(written(Version::resp3, [&](Writer& to) { to.command(arguments); }),
              "*2\r\n$4\r\nECHO\r\n$3\r\n\r\n\0\r\n"s);
}

TEST(Writer, WritesWhatBothVersionsHave) {
    for (const Version version : {Version::resp2, Version::resp3}) {
        EXPECT_EQ(written(version, [](Writer& to) { to.simple_string("OK"); }), "+OK\r\n");
        EXPECT_EQ(written(version, [](Writer& to) { to.error("ERR no"); }), "-ERR no\r\n");
        EXPECT_EQ(written(version, [](Writer& to) { to.bulk_string("a\r\n"); }), "$3\r\na\r\n\r\n");
        EXPECT_EQ(written(version, [](Writer& to) { to.integer(0); }), ":0\r\n");
        EXPECT_EQ(written(version, [](Writer& to) { to.integer(std::numeric_limits<std::int64_t>::min()); }),
                  ":-9223372036854775808\r\n");
        EXPECT_EQ(written(version, [](Writer& to) { to.array(0); }), "*0\r\n");
        EXPECT_EQ(written(version, [](Writer& to) { to.array(1'000'000); }), "*1000000\r\n");
    }
}

TEST(Writer, KeepsLinesToOneLine) {
    EXPECT_EQ(written(Version::resp2, [](Writer& to) { to.error("ERR a\r\nb\n"); }), "-ERR a  b \r\n");
    EXPECT_EQ(written(Version::resp3, [](Writer& to) { to.simple_string("\rOK"); }), "+ OK\r\n");
    EXPECT_EQ(written(Version::resp2, [](Writer& to) { to.bulk_error("ERR a\nb"); }), "-ERR a b\r\n");
}

TEST(Writer, WritesTheTypesOfResp3) {
    const auto write = [](auto call) { return written(Version::resp3, call); };
    EXPECT_EQ(write([](Writer& to) { to.null(); }), "_\r\n");
    EXPECT_EQ(write([](Writer& to) { to.boolean(true); }), "#t\r\n");
    EXPECT_EQ(write([](Writer& to) { to.boolean(false); }), "#f\r\n");
    EXPECT_EQ(write([](Writer& to) { to.real(0.1); }), ",0.1\r\n");
    EXPECT_EQ(write([](Writer& to) { to.real(-std::numeric_limits<double>::infinity()); }), ",-inf\r\n");
    EXPECT_EQ(write([](Writer& to) { to.real(-std::numeric_limits<double>::quiet_NaN()); }), ",nan\r\n");
    EXPECT_EQ(write([](Writer& to) { to.big_number("-12"); }), "(-12\r\n");
    EXPECT_EQ(write([](Writer& to) { to.bulk_error("ERR a\nb"); }), "!7\r\nERR a\nb\r\n");
    EXPECT_EQ(write([](Writer& to) { to.verbatim_string({.format = "txt", .text = "hi"}); }), "=6\r\ntxt:hi\r\n");
    EXPECT_EQ(write([](Writer& to) { to.map(2); }), "%2\r\n");
    EXPECT_EQ(write([](Writer& to) { to.set(2); }), "~2\r\n");
    EXPECT_EQ(write([](Writer& to) { to.push(2); }), ">2\r\n");
}

TEST(Writer, WritesThemForClientsOfResp2) {
    const auto write = [](auto call) { return written(Version::resp2, call); };
    EXPECT_EQ(write([](Writer& to) { to.null(); }), "$-1\r\n");
    EXPECT_EQ(write([](Writer& to) { to.boolean(true); }), ":1\r\n");
    EXPECT_EQ(write([](Writer& to) { to.boolean(false); }), ":0\r\n");
    EXPECT_EQ(write([](Writer& to) { to.real(0.1); }), "$3\r\n0.1\r\n");
    EXPECT_EQ(write([](Writer& to) { to.big_number("-12"); }), "$3\r\n-12\r\n");
    EXPECT_EQ(write([](Writer& to) { to.verbatim_string({.format = "txt", .text = "hi"}); }), "$2\r\nhi\r\n");
    EXPECT_EQ(write([](Writer& to) { to.map(2); }), "*4\r\n");
    EXPECT_EQ(write([](Writer& to) { to.set(2); }), "*2\r\n");
    EXPECT_EQ(write([](Writer& to) { to.push(2); }), "*2\r\n");
}

TEST(Writer, ChangesItsVersion) {
    EXPECT_EQ(written(Version::resp2,
                      [](Writer& to) {
                          to.null();
                          to.set_version(Version::resp3);
                          to.null();
                      }),
              "$-1\r\n_\r\n");
}

TEST(Writer, WritesWhatWasReadAsItMeans) {
    for (const Example& example : reply_examples()) {
        Reader reader;
        std::copy(example.bytes.begin(), example.bytes.end(), reader.prepare(example.bytes.size()).begin());
        reader.commit(example.bytes.size());
        const Value& value = **reader.next();
        const std::string again = written(Version::resp3, [&](Writer& to) { to.value(value); });
        EXPECT_EQ(read(again).values, std::vector{example.meaning}) << in_quotes(again);
    }
}

}  // namespace
}  // namespace stint::inline v0::resp
