#include "store/redis/scripts.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <string_view>

#include "base/assert.hpp"
#include "embedded/lua_ban.hpp"
#include "embedded/lua_change.hpp"
#include "embedded/lua_concurrency.hpp"
#include "embedded/lua_fixed_window.hpp"
#include "embedded/lua_single.hpp"
#include "embedded/lua_sliding_log.hpp"
#include "embedded/lua_sliding_window.hpp"
#include "embedded/lua_state.hpp"
#include "embedded/lua_timeline.hpp"
#include "embedded/lua_together.hpp"
#include "embedded/lua_token_bucket.hpp"

namespace stint::store::redis {
namespace {

using embedded::lua_ban;
using embedded::lua_change;
using embedded::lua_concurrency;
using embedded::lua_fixed_window;
using embedded::lua_single;
using embedded::lua_sliding_log;
using embedded::lua_sliding_window;
using embedded::lua_state;
using embedded::lua_timeline;
using embedded::lua_together;
using embedded::lua_token_bucket;

std::string algorithm_text(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::fixed_window:
            return std::string{lua_fixed_window};
        case Algorithm::sliding_window:
            return std::string{lua_timeline} + std::string{lua_sliding_window};
        case Algorithm::sliding_log:
            return std::string{lua_timeline} + std::string{lua_sliding_log};
        case Algorithm::concurrency:
            return std::string{lua_concurrency};
        case Algorithm::token_bucket:
            break;
    }
    return std::string{lua_token_bucket};
}

std::string all_algorithms() {
    std::string text;
    for (const std::string_view part : {lua_fixed_window, lua_timeline, lua_sliding_window, lua_sliding_log,
                                        lua_token_bucket, lua_concurrency, lua_ban}) {
        text += part;
    }
    text += "local algorithms = {";
    for (std::size_t i = 0; i <= static_cast<std::size_t>(Algorithm::concurrency); ++i) {
        text += "[" + std::to_string(i) + "] = " + to_string(static_cast<Algorithm>(i)) + ", ";
    }
    return text + "}\n";
}

std::array<std::string, kScripts> make_texts() {
    std::array<std::string, kScripts> texts;
    const std::string state{lua_state};
    for (std::size_t i = 0; i < static_cast<std::size_t>(ScriptId::together); ++i) {
        const auto algorithm = static_cast<Algorithm>(i);
        texts[i] = state + algorithm_text(algorithm) + "local algorithm = " + to_string(algorithm) + "\n" +
                   std::string{lua_single};
    }
    texts[static_cast<std::size_t>(ScriptId::together)] = state + all_algorithms() + std::string{lua_together};
    texts[static_cast<std::size_t>(ScriptId::change)] = state + all_algorithms() + std::string{lua_change};
    return texts;
}

std::string sha1_hex(std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    STINT_ASSERT(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1);
    return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

}  // namespace

const std::string& script_text(ScriptId script) {
    static const std::array<std::string, kScripts> texts = make_texts();
    return texts[static_cast<std::size_t>(script)];
}

const std::string& script_sha(ScriptId script) {
    static const std::array<std::string, kScripts> shas = [] {
        std::array<std::string, kScripts> made;
        for (std::size_t i = 0; i < kScripts; ++i) made[i] = sha1_hex(script_text(static_cast<ScriptId>(i)));
        return made;
    }();
    return shas[static_cast<std::size_t>(script)];
}

}  // namespace stint::store::redis
