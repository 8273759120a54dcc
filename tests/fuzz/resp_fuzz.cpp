// Any bytes as replies and as commands: the same is read in whatever pieces
// they arrive, and what was read, written anew, reads as the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "resp/reader.hpp"
#include "resp/transcript.hpp"
#include "resp/writer.hpp"

namespace {

using namespace stint::resp;

constexpr std::size_t kPieceMax = 32;

void require(bool holds) {
    if (!holds) std::abort();
}

/// Small, so that their ends are reached.
ReaderOptions bounded(Input input) {
    return {.input = input,
            .bulk_bytes_max = 100,
            .line_bytes_max = 40,
            .depth_max = 4,
            .elements_max = 20,
            .value_bytes_max = 300};
}

void check_pieces(std::string_view bytes, std::size_t piece, const ReaderOptions& options) {
    const Transcript whole = read(bytes, options);
    require(read(bytes, options, piece, piece) == whole);
    require(read(bytes, options, piece) == whole);
}

void check_written(std::string_view bytes, Input input) {
    Reader reader{{.input = input, .depth_max = 100}};
    std::copy(bytes.begin(), bytes.end(), reader.prepare(bytes.size()).begin());
    reader.commit(bytes.size());
    std::string again;
    Writer writer{again, Version::resp3};
    Transcript expected;
    for (;;) {
        const auto value = reader.next();
        if (!value || *value == nullptr) break;
        writer.value(**value);
        expected.values.push_back(describe(**value));
    }
    require(read(again, {.input = input, .depth_max = 100}) == expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::size_t piece = data[0] % kPieceMax + 1;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    for (const Input input : {Input::replies, Input::commands}) {
        check_pieces(bytes, piece, {.input = input});
        check_pieces(bytes, piece, bounded(input));
        check_written(bytes, input);
    }
    return 0;
}
