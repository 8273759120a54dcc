#include "base/ip.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace stint::inline v0 {
namespace {

std::string normal(std::string_view text, int prefix = 64) {
    IpText buffer;
    return std::string{normalise_ip(text, prefix, buffer)};
}

// The table of behaviours B39: one subscriber is one bucket, however spelt.
TEST(Ip, SpellingsOfOneIpv6NetworkAreOneValue) {
    EXPECT_EQ(normal("2001:db8:1:2::1"), "2001:db8:1:2::");
    EXPECT_EQ(normal("2001:DB8:1:2:0:0:0:FFFF"), "2001:db8:1:2::");
    EXPECT_EQ(normal("[2001:db8:1:2::9]:443"), "2001:db8:1:2::");
    EXPECT_EQ(normal("[2001:db8:1:2::9]"), "2001:db8:1:2::");
    EXPECT_EQ(normal("2001:db8:1:3::1"), "2001:db8:1:3::");
}

TEST(Ip, Ipv4MappedIsIpv4) {
    for (const char* text : {"192.0.2.7", "::ffff:192.0.2.7", "::ffff:c000:207", "0:0:0:0:0:ffff:c000:0207",
                             "192.0.2.7:8080", "[::ffff:192.0.2.7]:443", "::FFFF:192.0.2.7"}) {
        EXPECT_EQ(normal(text), "192.0.2.7") << text;
    }
}

TEST(Ip, OtherDottedTailsAreNotIpv4) {
    EXPECT_EQ(normal("2001:db8:1:2::192.0.2.7"), "2001:db8:1:2::");
    EXPECT_EQ(normal("64:ff9b::192.0.2.7"), "64:ff9b::");
    EXPECT_EQ(normal("64:ff9b::192.0.2.7", 128), "64:ff9b::c000:207");
    EXPECT_EQ(normal("::192.0.2.7", 128), "::c000:207");  // IPv4-compatible is not IPv4-mapped
}

TEST(Ip, ZoneIsDropped) {
    EXPECT_EQ(normal("fe80::1%eth0"), "fe80::");
    EXPECT_EQ(normal("[fe80::1%25eth0]:443"), "fe80::");
}

TEST(Ip, TextThatIsNoAddressStaysAsItIs) {
    const std::string_view cases[] = {"1.2.3.4.5",
                                      "01.2.3.4",
                                      "::1::2",
                                      "",
                                      "unknown",
                                      "host.example.org",
                                      "host.example.org:80",
                                      "1.2.3",
                                      "1.2.3.256",
                                      "1.2.3.4 ",
                                      " 1.2.3.4",
                                      "1.2.3.4:",
                                      "1.2.3.4:65536",
                                      "1.2.3.4:-1",
                                      "[1.2.3.4]",
                                      "[::1",
                                      "[::1]x",
                                      "[::1]:99999",
                                      "fe80::1%",
                                      "::ffff:01.2.3.4",
                                      "12345::",
                                      "1:2:3:4:5:6:7",
                                      "1:2:3:4:5:6:7:8:9",
                                      ":",
                                      "::1/64",
                                      std::string_view{"1.2.3.4\0", 8},
                                      std::string_view{"::1\0", 4}};
    for (const std::string_view text : cases) {
        EXPECT_EQ(normal(text), text);
    }
}

TEST(Ip, WritesAsRfc5952Does) {
    // RFC 5952, sections 4.1 to 4.3, and ties go to the first run.
    EXPECT_EQ(normal("2001:0db8:0000:0000:0001:0000:0000:0001", 128), "2001:db8::1:0:0:1");
    EXPECT_EQ(normal("2001:db8:0:1:1:1:1:1", 128), "2001:db8:0:1:1:1:1:1");
    EXPECT_EQ(normal("2001:0:0:1:0:0:0:1", 128), "2001:0:0:1::1");
    EXPECT_EQ(normal("2001:DB8::ABCD", 128), "2001:db8::abcd");
    EXPECT_EQ(normal("::", 128), "::");
    EXPECT_EQ(normal("::1", 128), "::1");
    EXPECT_EQ(normal("1::", 128), "1::");
    EXPECT_EQ(normal("0:1:2:3:4:5:6:0", 128), "0:1:2:3:4:5:6:0");
    EXPECT_EQ(normal("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 128), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
}

TEST(Ip, CutsAtAnyPrefix) {
    const char* all = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
    EXPECT_EQ(normal(all, 1), "8000::");
    EXPECT_EQ(normal(all, 48), "ffff:ffff:ffff::");
    EXPECT_EQ(normal(all, 56), "ffff:ffff:ffff:ff00::");
    EXPECT_EQ(normal(all, 63), "ffff:ffff:ffff:fffe::");
    EXPECT_EQ(normal(all, 65), "ffff:ffff:ffff:ffff:8000::");
    EXPECT_EQ(normal(all, 127), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe");
    EXPECT_EQ(normal("192.0.2.7", 1), "192.0.2.7");  // the prefix is for IPv6
}

TEST(Ip, GivesTheWholeAddressBesideTheCutOne) {
    IpText buffer;
    std::optional<IpAddress> address;
    EXPECT_EQ(normalise_ip("2001:db8::1", 64, buffer, &address), "2001:db8::");
    ASSERT_TRUE(address);
    EXPECT_EQ(address->low, 1U);
    normalise_ip("nobody", 64, buffer, &address);
    EXPECT_FALSE(address);
}

TEST(Cidr, ContainsWhatSharesThePrefix) {
    const auto private_ten = parse_cidr("10.0.0.0/8");
    ASSERT_TRUE(private_ten);
    EXPECT_TRUE(private_ten->contains(*parse_ip("10.255.0.1")));
    EXPECT_TRUE(private_ten->contains(*parse_ip("::ffff:10.1.2.3")));
    EXPECT_FALSE(private_ten->contains(*parse_ip("11.0.0.0")));
    EXPECT_FALSE(private_ten->contains(*parse_ip("a00::")));  // the same bits, another family
    EXPECT_TRUE(parse_cidr("0.0.0.0/0")->contains(*parse_ip("255.255.255.255")));
    EXPECT_FALSE(parse_cidr("::/0")->contains(*parse_ip("1.2.3.4")));
    EXPECT_TRUE(parse_cidr("::/0")->contains(*parse_ip("ffff::1")));
    EXPECT_TRUE(parse_cidr("2001:db8::/33")->contains(*parse_ip("2001:db8:7fff::")));
    EXPECT_FALSE(parse_cidr("2001:db8::/33")->contains(*parse_ip("2001:db8:8000::")));
}

TEST(Cidr, AnAddressIsANetworkOfOne) {
    EXPECT_EQ(parse_cidr("192.0.2.7")->prefix, 32);
    EXPECT_EQ(parse_cidr("2001:db8::1")->prefix, 128);
    EXPECT_EQ(*parse_cidr("192.0.2.7/24"), *parse_cidr("192.0.2.0/24"));
    EXPECT_EQ(*parse_cidr("::ffff:10.0.0.0/104"), *parse_cidr("10.0.0.0/8"));
}

TEST(Cidr, RefusesWhatIsNoNetwork) {
    for (const char* text : {"10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/8/8", "10.0.0/8",
                             "010.0.0.1/8", "/8", "", "2001:db8::/129", "host/8", "::ffff:1.2.3.4/64", "10.0.0.0/ 8",
                             "fe80::1%eth0/64", "[::1]/128", "10.0.0.0/4294967304"}) {
        EXPECT_FALSE(parse_cidr(text)) << text;
    }
    EXPECT_THAT(parse_cidr("10.0.0.0/33").error(), ::testing::HasSubstr("0 to 32"));
}

}  // namespace
}  // namespace stint::inline v0
