// The name of a plain counter in Redis, as a rule's redis_key has it: text with
// attributes in braces; {{ and }} stand for a brace. An attribute is one that
// the rule's key names, or one that its match allows a single value of.
// Tested by key_template_test.cpp. Threads: immutable.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::rules {

inline constexpr std::size_t kRedisKeyBytesMax = 256;  ///< of the text with its braces

class KeyTemplate {
public:
    /// Reads the rule's redis_key. Errors: why it cannot be.
    [[nodiscard]] static Result<KeyTemplate> compile(const Rule& rule);

    /// `values`: of the attributes of the rule's key, in their order.
    [[nodiscard]] std::string render(std::span<const std::string_view> values) const;

    /// Returns: the name with attributes in braces for their values: equal texts always name one counter.
    [[nodiscard]] std::string text(const Rule& rule) const;

private:
    /// Text, and which value comes after it.
    struct Part {
        std::string text;
        std::size_t value = kNone;
    };
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::vector<Part> parts_;
};

}  // namespace stint::inline v0::rules
