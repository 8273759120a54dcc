// Any bytes as a JSON body. What the parser accepts, Boost.JSON's own document
// parser must accept too, with the same values; nothing else is accepted.
#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/base64.hpp"
#include "server/http/json_body.hpp"
#include "stint/limit.hpp"

namespace {

using namespace stint;
namespace json = boost::json;

constexpr std::size_t kAttributesMax = 8;

void require(bool condition) {
    if (!condition) std::abort();
}

std::string value_of(const json::value& value) {
    if (value.is_string()) return std::string{value.as_string().data(), value.as_string().size()};
    std::string bytes;
    const json::object& wrapped = value.as_object();
    require(wrapped.size() == 1);
    require(base64_decode(std::string_view{wrapped.at("base64").as_string()}, bytes));
    return bytes;
}

void compare(const http::Body& body, const json::object& document) {
    const char* section = body.by_rule ? "key" : "attributes";
    const json::value* entries = document.if_contains(section);
    const std::size_t count = entries == nullptr ? 0 : entries->as_object().size();
    // As many entries as the document keeps: no name stood there twice.
    require(body.attributes.size() == count && count <= kAttributesMax);
    for (const Attribute& attribute : body.attributes) {
        require(value_of(entries->as_object().at(attribute.name)) == attribute.value);
    }
    require(body.cost <= kCostMax);
    if (const json::value* cost = document.if_contains("cost")) {
        require(static_cast<std::uint64_t>(cost->as_int64()) == body.cost);
    }
    if (body.by_rule) require(std::string_view{document.at("rule").as_string()} == body.rule);
    if (const json::value* lease = document.if_contains("lease")) {
        require(std::string_view{lease->as_string()} == body.lease);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static http::BodyParser parser{kAttributesMax};
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    for (const http::BodyKind kind : {http::BodyKind::check, http::BodyKind::lease, http::BodyKind::key}) {
        const Result<const http::Body*> body = parser.parse(text, kind);
        if (!body) {
            require(!body.error().empty());
            continue;
        }
        json::error_code ec;
        const json::value document = json::parse(text, ec);
        require(!ec && document.is_object());
        compare(**body, document.as_object());
    }
    return 0;
}
