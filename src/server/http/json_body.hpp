// The JSON bodies that the API accepts, read in one pass without building a
// document: faster, and a name that stands twice is seen, where a document
// would quietly keep one of the two. Threads: one parser belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stint/rule.hpp"

namespace stint::inline v0::http {

/// What a path expects in its body.
enum class BodyKind {
    check,  ///< {"attributes":{…},"cost":1} or {"rule":"…","key":{…},"cost":1}
    lease,  ///< {"lease":"…"}
    key,    ///< {"rule":"…","key":{…}}
};

/// A body that was understood. All text lies in the parser's own memory and
/// lives until it parses the next one.
struct Body {
    bool by_rule = false;               ///< `rule` and `key` were given, not `attributes`
    std::vector<Attribute> attributes;  ///< of `attributes` or `key`
    std::string_view rule;
    std::string_view lease;
    std::uint64_t cost = 1;
};

class BodyParser {
public:
    /// `attributes_max`: more attributes than this are refused.
    explicit BodyParser(std::size_t attributes_max);
    ~BodyParser();
    BodyParser(BodyParser&&) noexcept;

    /// Returns: the body, or what is wrong with it and where.
    [[nodiscard]] Result<const Body*> parse(std::string_view text, BodyKind kind);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace stint::inline v0::http
