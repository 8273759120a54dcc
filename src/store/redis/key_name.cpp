#include "store/redis/key_name.hpp"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace stint::inline v0::store::redis {
namespace {

constexpr std::size_t kPlainTagMax = 64;
constexpr std::size_t kPlainNameMax = 512;  // bytes of the name of a plain counter
constexpr std::size_t kLengthBytes = 8;

bool is_plain(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == '@' || c == '-';
    });
}

/// Takes the next value off an encoded key (CompiledRules::encode_key).
std::string_view take_value(std::string_view& key, bool alone) noexcept {
    if (alone) return std::exchange(key, {});
    std::uint64_t length = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(key[i]);
    const std::string_view value = key.substr(kLengthBytes, length);
    key.remove_prefix(kLengthBytes + value.size());
    return value;
}

void append_part(std::string_view part, std::string& out) {
    for (std::size_t i = 0; i < kLengthBytes; ++i) {
        out.push_back(static_cast<char>((std::uint64_t{part.size()} >> (8 * i)) & 0xff));
    }
    out.append(part);
}

}  // namespace

struct SipHash::Context {
    Context() = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { EVP_MAC_CTX_free(keyed); }
    EVP_MAC_CTX* keyed = nullptr;
};

SipHash::SipHash(const Key& key) {
    auto context = std::make_shared<Context>();
    EVP_MAC* mac = EVP_MAC_fetch(nullptr, "SIPHASH", nullptr);
    STINT_ASSERT(mac != nullptr);
    context->keyed = EVP_MAC_CTX_new(mac);
    EVP_MAC_free(mac);
    std::size_t size = 16;
    const std::array<OSSL_PARAM, 2> parameters{OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                               OSSL_PARAM_construct_end()};
    STINT_ASSERT(EVP_MAC_init(context->keyed, key.data(), key.size(), parameters.data()) == 1);
    context_ = std::move(context);
}

std::string SipHash::hex(std::string_view bytes) const {
    // A started computation is copied: starting one anew costs more.
    EVP_MAC_CTX* context = EVP_MAC_CTX_dup(context_->keyed);
    STINT_ASSERT(context != nullptr);
    std::array<unsigned char, 16> digest{};
    std::size_t size = 0;
    const bool done =
        EVP_MAC_update(context, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()) == 1 &&
        EVP_MAC_final(context, digest.data(), &size, digest.size()) == 1;
    EVP_MAC_CTX_free(context);
    STINT_ASSERT(done && size == digest.size());
    return fmt::format("{:02x}", fmt::join(digest, ""));
}

KeyNames::KeyNames(Options options)
    : start_(std::move(options.prefix) + "1:"), digest_only_(options.digest_only), hash_(options.digest_key) {}

std::string KeyNames::name_of(const Ask& ask) const {
    if (!ask.redis_key.empty() && ask.redis_key.size() <= kPlainNameMax) return std::string{ask.redis_key};
    std::string name;
    name.reserve(start_.size() + ask.rule.size() + 3 + kPlainTagMax);
    name.append(start_).append(ask.rule).append(":{");
    append_tag(ask, name);
    name.push_back('}');
    return name;
}

bool KeyNames::is_ours(std::string_view name) const noexcept {
    return name.starts_with(start_) && name.ends_with('}');
}

void KeyNames::append_tag(const Ask& ask, std::string& out) const {
    if (!ask.redis_key.empty()) {
        out.append("#").append(hash_.hex(ask.redis_key));
        return;
    }
    if (ask.names.empty()) {
        out.append(ask.rule);
        return;
    }
    // A plain tag has '=' in it and a digest begins with '#', so that none of
    // the three forms can be taken for another.
    const std::size_t start = out.size();
    std::string_view rest = ask.key;
    bool plain = !digest_only_ && ask.key.size() <= kPlainTagMax + kLengthBytes * ask.names.size();
    for (std::size_t i = 0; plain && i < ask.names.size(); ++i) {
        const std::string_view value = take_value(rest, ask.names.size() == 1);
        plain = is_plain(ask.names[i]) && is_plain(value);
        if (i > 0) out.push_back(',');
        out.append(ask.names[i]).append("=").append(value);
        plain = plain && out.size() - start <= kPlainTagMax;
    }
    if (plain) return;
    out.resize(start);
    std::string parts;
    for (const std::string& name : ask.names) append_part(name, parts);
    append_part(ask.key, parts);
    out.append("#").append(hash_.hex(parts));
}

}  // namespace stint::inline v0::store::redis
