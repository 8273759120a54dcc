// Any bytes on a connection: the session must survive them, and must answer
// the same however they are cut. (Of what is cut, an error may be seen only
// when more has arrived: then one output is the beginning of the other.)
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/http/http_session_driver.hpp"

namespace {

using namespace stint;

constexpr std::size_t kPieceMax = 16;

RuleSet rules() {
    Rule submit;
    submit.name = "submit";
    submit.key = {"team"};
    submit.limits = {Limit::fixed_window(3, std::chrono::seconds{60})};
    return RuleSet{{submit}};
}

std::string replies_to(std::string_view bytes, std::size_t piece) {
    http::SessionHost server{rules(),
                             {.body_bytes_max = 200, .header_bytes_max = std::size_t{1} << 20, .pipelined_max = 3}};
    return http::SessionDriver{server}.send(bytes, piece);
}

/// Whether a client is told to go on depends on what has arrived already.
std::string without_interim(std::string text) {
    constexpr std::string_view kInterim = "HTTP/1.1 100 Continue\r\n\r\n";
    for (std::size_t at = text.find(kInterim); at != std::string::npos; at = text.find(kInterim, at)) {
        text.erase(at, kInterim.size());
    }
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    const std::size_t piece = data[0] % kPieceMax + 1;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    const std::string whole = without_interim(replies_to(bytes, bytes.size()));
    const std::string cut = without_interim(replies_to(bytes, piece));
    if (!whole.starts_with(cut) && !cut.starts_with(whole)) std::abort();
    return 0;
}
