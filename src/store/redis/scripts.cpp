#include "store/redis/scripts.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <string_view>

#include "base/assert.hpp"
#include "embedded/lua_ban.hpp"
#include "embedded/lua_change.hpp"
#include "embedded/lua_concurrency.hpp"
#include "embedded/lua_fixed_window.hpp"
#include "embedded/lua_plain_counter.hpp"
#include "embedded/lua_single.hpp"
#include "embedded/lua_sliding_log.hpp"
#include "embedded/lua_sliding_window.hpp"
#include "embedded/lua_state.hpp"
#include "embedded/lua_timeline.hpp"
#include "embedded/lua_together.hpp"
#include "embedded/lua_token_bucket.hpp"

namespace stint::inline v0::store::redis {
namespace {

using embedded::lua_ban;
using embedded::lua_change;
using embedded::lua_concurrency;
using embedded::lua_fixed_window;
using embedded::lua_plain_counter;
using embedded::lua_single;
using embedded::lua_sliding_log;
using embedded::lua_sliding_window;
using embedded::lua_state;
using embedded::lua_timeline;
using embedded::lua_together;
using embedded::lua_token_bucket;

/// The kinds of counters, each with its number in the scripts' arguments: that of its script, whose name its text
/// gives to the table of its functions.
struct Kind {
    bool uses_timeline;
    std::string_view text;
};
const std::array<Kind, kCounterKinds> kKinds{{
    {false, lua_fixed_window},
    {true, lua_sliding_window},
    {true, lua_sliding_log},
    {false, lua_token_bucket},
    {false, lua_concurrency},
    {false, lua_plain_counter},
}};

const char* name_of(std::size_t kind) noexcept {
    return to_string(static_cast<ScriptId>(kind));
}

std::string all_kinds() {
    std::string text{lua_timeline};
    for (const Kind& kind : kKinds) text += kind.text;
    text += std::string{lua_ban} + "local algorithms = {";
    for (std::size_t i = 0; i < kKinds.size(); ++i) text += fmt::format("[{}] = {}, ", i, name_of(i));
    return text + "}\n";
}

std::array<std::string, kScripts> make_texts() {
    std::array<std::string, kScripts> texts;
    const std::string state{lua_state};
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (kKinds[i].uses_timeline) texts[i] = lua_timeline;
        texts[i] = state + texts[i] + std::string{kKinds[i].text} + fmt::format("local algorithm = {}\n", name_of(i)) +
                   std::string{lua_single};
    }
    texts[static_cast<std::size_t>(ScriptId::together)] = state + all_kinds() + std::string{lua_together};
    texts[static_cast<std::size_t>(ScriptId::change)] = state + all_kinds() + std::string{lua_change};
    return texts;
}

std::string sha1_hex(std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    STINT_ASSERT(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1);
    return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

}  // namespace

const char* to_string(ScriptId script) noexcept {
    switch (script) {
        case ScriptId::plain_counter:
            return "plain_counter";
        case ScriptId::together:
            return "together";
        case ScriptId::change:
            return "change";
        default:
            return to_string(static_cast<Algorithm>(script));
    }
}

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

}  // namespace stint::inline v0::store::redis
