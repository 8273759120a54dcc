#include "server/http/json_body.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace stint::inline v0::http {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

constexpr std::size_t kAttributesMax = 4;

std::string problem_of(std::string_view text, BodyKind kind = BodyKind::check) {
    BodyParser parser{kAttributesMax};
    const Result<const Body*> body = parser.parse(text, kind);
    return body ? "" : body.error();
}

TEST(JsonBody, ReadsAttributesAndCost) {
    BodyParser parser{kAttributesMax};
    const auto body = parser.parse(R"( {"attributes":{"action":"submit","team":"42"},"cost":3} )", BodyKind::check);
    ASSERT_TRUE(body) << body.error();
    EXPECT_FALSE((*body)->by_rule);
    ASSERT_EQ((*body)->attributes.size(), 2U);
    EXPECT_EQ((*body)->attributes[0].name, "action");
    EXPECT_EQ((*body)->attributes[0].value, "submit");
    EXPECT_EQ((*body)->attributes[1].name, "team");
    EXPECT_EQ((*body)->attributes[1].value, "42");
    EXPECT_EQ((*body)->cost, 3U);
}

TEST(JsonBody, ReadsRuleAndKeyInAnyOrder) {
    BodyParser parser{kAttributesMax};
    const auto body = parser.parse(R"({"cost":0,"key":{"team":"42"},"rule":"submit"})", BodyKind::check);
    ASSERT_TRUE(body) << body.error();
    EXPECT_TRUE((*body)->by_rule);
    EXPECT_EQ((*body)->rule, "submit");
    ASSERT_EQ((*body)->attributes.size(), 1U);
    EXPECT_EQ((*body)->cost, 0U);
}

TEST(JsonBody, LeavesNothingOfOneBodyInTheNext) {
    BodyParser parser{kAttributesMax};
    ASSERT_TRUE(parser.parse(R"({"rule":"a","key":{"x":"1","y":"2"},"cost":9})", BodyKind::check));
    ASSERT_FALSE(parser.parse(R"({"rule":"a","key":{"x":)", BodyKind::check));
    const auto body = parser.parse(R"({"attributes":{}})", BodyKind::check);
    ASSERT_TRUE(body) << body.error();
    EXPECT_FALSE((*body)->by_rule);
    EXPECT_TRUE((*body)->attributes.empty());
    EXPECT_EQ((*body)->cost, 1U);
    EXPECT_EQ((*body)->rule, "");
}

TEST(JsonBody, DecodesEscapesAndBase64) {
    BodyParser parser{kAttributesMax};
    const auto body = parser.parse(
        R"({"attributes":{"a\u0000b":"\ud83d\ude00\n\"","raw":{"base64":"AP8="},"empty":{"base64":""},"e":""}})",
        BodyKind::check);
    ASSERT_TRUE(body) << body.error();
    const std::vector<Attribute>& attributes = (*body)->attributes;
    ASSERT_EQ(attributes.size(), 4U);
    EXPECT_EQ(attributes[0].name, "a\0b"s);
    EXPECT_EQ(attributes[0].value, "\xf0\x9f\x98\x80\n\"");
    EXPECT_EQ(attributes[1].value, "\x00\xff"s);
    EXPECT_EQ(attributes[2].value, "");
    EXPECT_EQ(attributes[3].value, "");
}

TEST(JsonBody, KeepsManyValuesApart) {
    // Views must survive whatever the parser reads afterwards.
    BodyParser parser{100};
    std::string text = R"({"attributes":{)";
    for (int i = 0; i < 100; ++i) {
        text +=
            (i ? ",\"" : "\"") + std::to_string(i) + "\":" +
            (i % 2 ? "{\"base64\":\"eHl6eHl6\"}" : "\"\\u00e9" + std::string(static_cast<std::size_t>(i), 'v') + '"');
    }
    const auto body = parser.parse(text + "}}", BodyKind::check);
    ASSERT_TRUE(body) << body.error();
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ((*body)->attributes[i].name, std::to_string(i));
        EXPECT_EQ((*body)->attributes[i].value, i % 2 ? "xyzxyz" : "\u00e9" + std::string(i, 'v'));
    }
}

TEST(JsonBody, TakesTheLargestCost) {
    EXPECT_EQ(problem_of(R"({"attributes":{},"cost":1125899906842624})"), "");
    EXPECT_THAT(problem_of(R"({"attributes":{},"cost":1125899906842625})"), HasSubstr("0 to 1125899906842624"));
}

TEST(JsonBody, ReadsLeasesAndKeys) {
    BodyParser parser{kAttributesMax};
    const auto lease = parser.parse(R"({"lease":"abc"})", BodyKind::lease);
    ASSERT_TRUE(lease) << lease.error();
    EXPECT_EQ((*lease)->lease, "abc");
    const auto key = parser.parse(R"({"rule":"global"})", BodyKind::key);
    ASSERT_TRUE(key) << key.error();
    EXPECT_EQ((*key)->rule, "global");
    EXPECT_TRUE((*key)->attributes.empty());
}

struct BadBody {
    std::string text;
    std::string problem;
    BodyKind kind = BodyKind::check;
};

class JsonBodyRefuses : public testing::TestWithParam<BadBody> {};

TEST_P(JsonBodyRefuses, AndSaysWhatIsWrong) {
    EXPECT_THAT(problem_of(GetParam().text, GetParam().kind), HasSubstr(GetParam().problem)) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Table, JsonBodyRefuses,
    testing::Values(
        BadBody{"", "the body is empty"}, BadBody{" \n", "the body is empty"}, BadBody{"{", "ends too early"},
        BadBody{"[1]", "must be a JSON object, not an array"}, BadBody{"null", "must be a JSON object, not null"},
        BadBody{"7", "must be a JSON object, not a number"}, BadBody{"\"x\"", "must be a JSON object, not a string"},
        BadBody{"{}", R"("attributes" is missing, or "rule" and "key")"},
        BadBody{R"({"cost":1})", R"("attributes" is missing)"},
        BadBody{R"({"atributes":{}})", R"(unknown field "atributes")"},
        BadBody{R"({"attributes":[]})", R"("attributes" must be an object, not an array)"},
        BadBody{R"({"attributes":"x"})", R"("attributes" must be an object, not a string)"},
        BadBody{R"({"attributes":{},"attributes":{}})", R"("attributes" stands there twice)"},
        BadBody{R"({"attributes":{"a":"1","a":"2"}})", R"("attributes"."a" stands there twice)"},
        BadBody{R"({"attributes":{"a":"1","\u0061":"2"}})", R"("attributes"."a" stands there twice)"},
        BadBody{R"({"attributes":{"a":1}})",
                R"("attributes"."a": a string or {"base64":"..."} is expected, not a number)"},
        BadBody{R"({"attributes":{"a":null}})", "not null"}, BadBody{R"({"attributes":{"a":true}})", "not a boolean"},
        BadBody{R"({"attributes":{"a":["1"]}})", "not an array"},
        BadBody{R"({"attributes":{"a":{}}})", "not an empty object"},
        BadBody{R"({"attributes":{"a":{"b64":"AA=="}}})", R"(not "b64")"},
        BadBody{R"({"attributes":{"a":{"base64":"A"}}})", "not padded Base64"},
        BadBody{R"({"attributes":{"a":{"base64":7}}})", R"("base64" must be a string, not a number)"},
        BadBody{R"({"attributes":{"a":{"base64":{}}}})", R"("base64" must be a string, not an object)"},
        BadBody{R"({"attributes":{"a":{"base64":"","base64":""}}})", R"("base64" stands there twice)"},
        BadBody{R"({"attributes":{"a":"","b":"","c":"","d":"","e":""}})", "too many entries; 4 at most"},
        BadBody{R"({"attributes":{},"cost":-1})", "whole number from 0"},
        BadBody{R"({"attributes":{},"cost":1.0})", "whole number from 0"},
        BadBody{R"({"attributes":{},"cost":1e2})", "whole number from 0"},
        BadBody{R"({"attributes":{},"cost":18446744073709551615})", "whole number from 0"},
        BadBody{R"({"attributes":{},"cost":99999999999999999999999})", "whole number from 0"},
        BadBody{R"({"attributes":{},"cost":"1"})", R"("cost" must be a whole number, not a string)"},
        BadBody{R"({"attributes":{},"cost":1,"cost":1})", R"("cost" stands there twice)"},
        BadBody{R"({"attributes":{},"rule":"x"})", "cannot stand together"},
        BadBody{R"({"attributes":{},"rule":"x","key":{}})", "cannot stand together"},
        BadBody{R"({"key":{},"attributes":{}})", "cannot stand together"},
        BadBody{R"({"key":{"team":"42"}})", R"("key" needs "rule" beside it)"},
        BadBody{R"({"rule":7,"key":{}})", R"("rule" must be a string, not a number)"},
        BadBody{R"({"rule":"x","key":{"a":false}})", R"("key"."a")"},
        BadBody{R"({"attributes":{}} x)", "something follows"}, BadBody{R"({"attributes":{}}{})", "something follows"},
        BadBody{R"({"attributes":{},})", "not valid JSON, at byte"}, BadBody{R"({'attributes':{}})", "not valid JSON"},
        BadBody{"{\"attributes\":{\"a\":\"\xff\"}}", "not valid JSON"},
        BadBody{R"({"attributes":{"a":"\ud800"}})", "not valid JSON"},
        BadBody{R"({"lease":"x"})", R"(unknown field "lease")"},
        BadBody{"{}", R"("lease" is missing)", BodyKind::lease},
        BadBody{R"({"lease":null})", R"("lease" must be a string, not null)", BodyKind::lease},
        BadBody{R"({"lease":"a","lease":"a"})", "twice", BodyKind::lease},
        BadBody{R"({"lease":"a","cost":1})", R"(only "lease" is known)", BodyKind::lease},
        BadBody{R"({"key":{}})", R"("key" needs "rule")", BodyKind::key},
        BadBody{"{}", R"("rule" is missing)", BodyKind::key},
        BadBody{R"({"rule":"x","cost":1})", R"(unknown field "cost")", BodyKind::key}));

}  // namespace
}  // namespace stint::inline v0::http
