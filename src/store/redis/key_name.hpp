// The names of keys in Redis: `<prefix>1:<rule>:{<tag>}`, 1 being the format of
// the values. The tag, which alone decides the slot in a cluster, says
// `attribute=value` where all of it is short and plain; else it is a keyed
// digest, so that no bytes of a caller ever stand in a key.
// Tested by key_name_test.cpp.
// Threads: immutable; any.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "stint/store.hpp"

namespace stint::inline v0::store::redis {

/// SipHash-128 (Aumasson and Bernstein, 2012), as OpenSSL has it.
class SipHash {
public:
    using Key = std::array<unsigned char, 16>;

    explicit SipHash(const Key& key);
    [[nodiscard]] std::string hex(std::string_view bytes) const;

private:
    struct Context;
    std::shared_ptr<const Context> context_;
};

class KeyNames {
public:
    struct Options {
        std::string prefix = "stint:";
        bool digest_only = false;   ///< no attribute's value ever stands in a key
        SipHash::Key digest_key{};  ///< the same on all servers
    };

    explicit KeyNames(Options options);

    /// Returns: where the counters of this rule and key are.
    [[nodiscard]] std::string name_of(const Ask& ask) const;
    /// Returns: whether this may be a name that name_of gave.
    [[nodiscard]] bool is_ours(std::string_view name) const noexcept;

private:
    void append_tag(const Ask& ask, std::string& out) const;

    std::string start_;  // prefix and format
    bool digest_only_;
    SipHash hash_;
};

}  // namespace stint::inline v0::store::redis
