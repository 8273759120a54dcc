// Any bytes on a connection: the session must survive them, and must answer
// the same however they are cut. (Of what is cut, an error may be seen only
// when more has arrived: then one output is the beginning of the other.)
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
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

/// Two things may be wrong with a request at once, and which of them is found
/// depends on how it was cut. (A quoted string in a chunk's extension that goes
/// on over the line's end is too large a body for Beast in small pieces.) That
/// it is refused, and the connection closed, does not.
std::string without_reason_of_refusal(std::string text) {
    const std::size_t last = text.rfind("HTTP/1.1 ");
    if (last == std::string::npos || text.find("Connection: close\r\n", last) == std::string::npos) return text;
    const std::string status = text.substr(last + std::size("HTTP/1.1 ") - 1, 3);
    return status == "400" || status == "413" || status == "431" ? text.substr(0, last) + "refused" : text;
}

std::string comparable(std::string_view bytes, std::size_t piece) {
    return without_reason_of_refusal(without_interim(replies_to(bytes, piece)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    const std::size_t piece = data[0] % kPieceMax + 1;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    const std::string whole = comparable(bytes, bytes.size());
    const std::string cut = comparable(bytes, piece);
    if (!whole.starts_with(cut) && !cut.starts_with(whole)) std::abort();
    return 0;
}
