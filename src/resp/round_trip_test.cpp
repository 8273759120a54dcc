// Values at random, written, then read in pieces of random sizes: the same
// values. Set STINT_SEED to repeat a run.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "resp/reader.hpp"
#include "resp/transcript.hpp"
#include "resp/writer.hpp"
#include "support/seed.hpp"

namespace stint::inline v0::resp {
namespace {

class Generator {
public:
    explicit Generator(std::uint64_t seed) : random_{seed} {}

    std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>{0, end - 1}(random_); }

    std::string bytes() {
        std::string out(below(10) == 0 ? below(20'000) : below(20), '\0');
        for (char& byte : out) byte = static_cast<char>(below(256));
        return out;
    }
    std::string line() {
        std::string out(below(30), '\0');
        for (char& byte : out) byte = static_cast<char>(' ' + below(200));
        return out;
    }

    /// Writes a value and returns its description.
    std::string value(Writer& to, int depth) {
        switch (below(depth > 0 ? 14 : 10)) {
            case 10:
                return aggregate(to, depth, "array", &Writer::array, 1);
            case 11:
                return aggregate(to, depth, "set", &Writer::set, 1);
            case 12:
            case 13:
                return aggregate(to, depth, "map", &Writer::map, 2);
            default:
                return scalar(to);
        }
    }

    std::string aggregate(Writer& to, int depth, const std::string& name, void (Writer::*begin)(std::size_t),
                          std::size_t each) {
        const std::size_t count = below(6);
        (to.*begin)(count);
        std::string out;
        for (std::size_t i = 0; i < count * each; ++i) out += (i == 0 ? "" : ", ") + value(to, depth - 1);
        return name + " [" + out + "]";
    }

private:
    std::string scalar(Writer& to) {
        switch (below(10)) {
            case 0:
                return text(to, "simple ", &Writer::simple_string, line());
            case 1:
                return text(to, "error ", &Writer::error, line());
            case 2:
                return text(to, "bulk error ", &Writer::bulk_error, bytes());
            case 3: {
                const auto number = static_cast<std::int64_t>(random_() >> below(64)) * (below(2) == 0 ? 1 : -1);
                to.integer(number);
                return "int " + std::to_string(number);
            }
            case 4:
                to.null();
                return "null";
            case 5: {
                const bool truth = below(2) == 0;
                to.boolean(truth);
                return truth ? "true" : "false";
            }
            case 6: {
                const auto number = std::bit_cast<double>(random_());
                to.real(number);
                return std::isnan(number) ? "real nan" : "real " + std::to_string(number);
            }
            case 7:
                return text(to, "big ", &Writer::big_number,
                            std::string(1 + below(50), static_cast<char>('0' + below(10))));
            case 8: {
                const std::string content = bytes();
                to.verbatim_string({.format = "mkd", .text = content});
                return "verbatim 'mkd' " + in_quotes(content);
            }
            default:
                return text(to, "bulk ", &Writer::bulk_string, bytes());
        }
    }

    static std::string text(Writer& to, const std::string& name, void (Writer::*write)(std::string_view),
                            const std::string& content) {
        (to.*write)(content);
        return name + in_quotes(content);
    }

    std::mt19937_64 random_;
};

TEST(RoundTrip, WhatIsWrittenIsRead) {
    const std::uint64_t used = test_seed();
    RecordProperty("seed", std::to_string(used));
    SCOPED_TRACE("STINT_SEED=" + std::to_string(used));
    Generator generator{used};
    Reader reader;
    for (int round = 0; round < 2'000; ++round) {
        std::string bytes;
        Writer writer{bytes, Version::resp3};
        std::vector<std::string> expected;
        for (std::size_t count = generator.below(4); expected.size() < count;) {
            expected.push_back(generator.below(5) == 0 ? generator.aggregate(writer, 4, "push", &Writer::push, 1)
                                                       : generator.value(writer, 4));
        }
        Transcript transcript;
        for (std::string_view rest = bytes; !rest.empty();) {
            const std::size_t piece = std::min(rest.size(), 1 + generator.below(generator.below(8) == 0 ? 9'000 : 40));
            feed(reader, rest.substr(0, piece), transcript);
            rest.remove_prefix(piece);
        }
        ASSERT_FALSE(transcript.error) << transcript.error->reason;
        ASSERT_EQ(transcript.values, expected);
        ASSERT_FALSE(transcript.under_way);
    }
}

TEST(RoundTrip, CommandsAreRead) {
    const std::uint64_t used = test_seed();
    RecordProperty("seed", std::to_string(used));
    SCOPED_TRACE("STINT_SEED=" + std::to_string(used));
    Generator generator{used};
    Reader reader{{.input = Input::commands}};
    for (int round = 0; round < 2'000; ++round) {
        std::vector<std::string> arguments(1 + generator.below(5));
        std::string expected;
        for (std::string& argument : arguments) {
            argument = generator.bytes();
            expected += (expected.empty() ? "bulk " : ", bulk ") + in_quotes(argument);
        }
        const std::vector<std::string_view> views(arguments.begin(), arguments.end());
        std::string bytes;
        Writer{bytes}.command(views);
        Transcript transcript;
        feed(reader, bytes, transcript);
        ASSERT_EQ(transcript.values, std::vector{"array [" + expected + "]"});
    }
}

}  // namespace
}  // namespace stint::inline v0::resp
