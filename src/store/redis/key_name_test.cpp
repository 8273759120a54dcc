#include "store/redis/key_name.hpp"

#include <gtest/gtest.h>

#include <set>

namespace stint::inline v0::store::redis {
namespace {

std::string length_prefixed(const std::vector<std::string>& values) {
    std::string key;
    for (const std::string& value : values) {
        for (std::size_t i = 0; i < 8; ++i) key.push_back(static_cast<char>((value.size() >> (8 * i)) & 0xff));
        key += value;
    }
    return key;
}

std::string name_of(const std::vector<std::string>& names, const std::vector<std::string>& values,
                    const KeyNames::Options& options = {}, std::string_view rule = "submit") {
    const std::string key = values.size() == 1 ? values[0] : length_prefixed(values);
    Ask ask;
    ask.key = key;
    ask.rule = rule;
    ask.names = names;
    return KeyNames{options}.name_of(ask);
}

TEST(KeyName, PlainValuesStandInItAsTheyAre) {
    EXPECT_EQ(name_of({"team"}, {"42"}), "stint:1:submit:{team=42}");
    EXPECT_EQ(name_of({"a", "b"}, {"x@y.z", "u_v-w"}), "stint:1:submit:{a=x@y.z,b=u_v-w}");
    EXPECT_EQ(name_of({}, {""}), "stint:1:submit:{submit}");
    EXPECT_EQ(name_of({"team"}, {""}), "stint:1:submit:{team=}");
}

TEST(KeyName, OddBytesAreNeverInIt) {
    for (const char* value :
         {"{", "}", "{}", "}{", "a{b}c", " ", "a b", "a\r\nSET x 1", "a:b", "é", "😀", "a,b", "a=b"}) {
        const std::string name = name_of({"k"}, {value});
        EXPECT_TRUE(name.starts_with("stint:1:submit:{#")) << name;
        EXPECT_EQ(name.size(), std::string_view{"stint:1:submit:{#}"}.size() + 32) << name;
    }
    EXPECT_TRUE(name_of({"k"}, {std::string(65, 'k')}).starts_with("stint:1:submit:{#"));
    EXPECT_TRUE(name_of({"k"}, {std::string("a\0b", 3)}).starts_with("stint:1:submit:{#"));
}

TEST(KeyName, DifferentKeysHaveDifferentNames) {
    std::set<std::string> names;
    std::size_t count = 0;
    const auto add = [&](const std::string& name) {
        names.insert(name);
        ++count;
    };
    for (const char* value : {"", "{", "}", "{same}1", "{same}2", "b_c", "a,b=c", "é", "e\u0301"})
        add(name_of({"a"}, {value}));
    add(name_of({"a_b"}, {"c"}));
    add(name_of({"a"}, {"b_c"}, {}, "other"));
    add(name_of({"a", "b"}, {"x", "yz"}));
    add(name_of({"a", "b"}, {"xy", "z"}));
    add(name_of({"a", "b"}, {"x,b=y", "z"}));
    add(name_of({"a", "b"}, {"x", "y,b=z"}));
    add(name_of({"b", "a"}, {"x", "yz"}));
    add(name_of({"a"}, {std::string(10'240, 'k')}));
    add(name_of({"a"}, {std::string(10'239, 'k') + "j"}));
    EXPECT_EQ(names.size(), count);
}

TEST(KeyName, DigestsHideEveryValueAndDependOnTheirKey) {
    KeyNames::Options options{.digest_only = true};
    const std::string name = name_of({"team"}, {"42"}, options);
    EXPECT_TRUE(name.starts_with("stint:1:submit:{#")) << name;
    EXPECT_EQ(name, name_of({"team"}, {"42"}, options));
    options.digest_key[0] = 1;
    EXPECT_NE(name, name_of({"team"}, {"42"}, options));
}

// The first vectors of the reference implementation (Aumasson and Bernstein): the key is 00 01 … 0f.
TEST(SipHash, IsThePublishedOne) {
    SipHash::Key key{};
    for (unsigned char i = 0; i < key.size(); ++i) key[i] = i;
    EXPECT_EQ(SipHash{key}.hex(""), "a3817f04ba25a8e66df67214c7550293");
    EXPECT_EQ(SipHash{key}.hex(std::string_view{"\0", 1}), "da87c1d86b99af44347659119b22fc45");
}

TEST(KeyName, KnowsItsOwnNames) {
    const KeyNames names{{}};
    EXPECT_TRUE(names.is_ours("stint:1:submit:{team=42}"));
    EXPECT_FALSE(names.is_ours("stint:2:submit:{team=42}"));
    EXPECT_FALSE(names.is_ours("other:1:submit:{team=42}"));
}

}  // namespace
}  // namespace stint::inline v0::store::redis
