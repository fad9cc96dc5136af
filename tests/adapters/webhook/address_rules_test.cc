#include "adapters/webhook/address_rules.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temporary.h"

namespace tenure::webhook {
namespace {

std::string refusal(std::string_view text, const std::vector<std::string_view>& allowed = {}) {
  std::vector<IpNetwork> networks;
  for (const std::string_view each : allowed) networks.push_back(read_ip_network(each).value());
  return refusal_of(read_ip_address(text).value(), networks).value_or("");
}

TEST(AddressRules, refuse_what_is_not_public_and_say_what_it_is) {
  EXPECT_EQ(refusal("127.0.0.1"), "127.0.0.1 is a loopback address");
  EXPECT_EQ(refusal("127.255.255.254"), "127.255.255.254 is a loopback address");
  EXPECT_EQ(refusal("0.0.0.0"), "0.0.0.0 is an address of this host");
  EXPECT_EQ(refusal("10.1.2.3"), "10.1.2.3 is a private address");
  EXPECT_EQ(refusal("172.31.0.1"), "172.31.0.1 is a private address");
  EXPECT_EQ(refusal("192.168.0.1"), "192.168.0.1 is a private address");
  EXPECT_EQ(refusal("169.254.169.254"), "169.254.169.254 is a link-local address");
  EXPECT_EQ(refusal("100.127.255.255"), "100.127.255.255 is an address behind a carrier's NAT");
  EXPECT_EQ(refusal("224.0.0.1"), "224.0.0.1 is a multicast address");
  EXPECT_EQ(refusal("255.255.255.255"), "255.255.255.255 is the broadcast address");
  EXPECT_EQ(refusal("::1"), "::1 is a loopback address");
  EXPECT_EQ(refusal("::"), ":: is an address of this host");
  EXPECT_EQ(refusal("fe80::1"), "fe80::1 is a link-local address");
  EXPECT_EQ(refusal("fd12::1"), "fd12::1 is a private address");
  EXPECT_EQ(refusal("ff02::1"), "ff02::1 is a multicast address");
  EXPECT_EQ(refusal("2002:7f00:1::"), "2002:7f00:1:: is a 6to4 address");
  EXPECT_EQ(refusal("::127.0.0.1"), "::127.0.0.1 is not a public address");
  EXPECT_EQ(refusal("64:ff9b:1::a"), "64:ff9b:1::a is not a public address");
}

TEST(AddressRules, let_public_addresses_pass) {
  for (const std::string_view text :
       {"1.1.1.1", "172.32.0.1", "172.15.255.255", "100.128.0.1", "198.17.255.255", "9.255.255.255",
        "11.0.0.0", "169.253.0.1", "223.255.255.255", "2606:4700::1111", "2001:200::1", "2a00::1"})
    EXPECT_EQ(refusal(text), "") << text;
}

TEST(AddressRules, judge_the_address_that_another_one_stands_for) {
  EXPECT_EQ(refusal("::ffff:127.0.0.1"),
            "::ffff:127.0.0.1 stands for 127.0.0.1, which is a loopback address");
  EXPECT_EQ(refusal("64:ff9b::a9fe:a9fe"),
            "64:ff9b::a9fe:a9fe stands for 169.254.169.254, which is a link-local address");
  EXPECT_EQ(refusal("::ffff:1.1.1.1"), "");
  EXPECT_EQ(refusal("64:ff9b::101:101"), "");
}

TEST(AddressRules, what_a_destination_allows_may_be_used_and_nothing_beside_it) {
  EXPECT_EQ(refusal("10.1.2.3", {"10.1.0.0/16"}), "");
  EXPECT_NE(refusal("10.2.0.1", {"10.1.0.0/16"}), "");
  EXPECT_EQ(refusal("127.0.0.1", {"127.0.0.1"}), "");
  EXPECT_NE(refusal("127.0.0.2", {"127.0.0.1"}), "");
  EXPECT_EQ(refusal("::1", {"10.0.0.0/8", "::1"}), "");
  EXPECT_NE(refusal("::1", {"0.0.0.0/0"}), "") << "IPv6 is no IPv4";
  EXPECT_EQ(refusal("::ffff:10.1.2.3", {"10.0.0.0/8"}), "") << "the same host";
  EXPECT_EQ(refusal("64:ff9b::a01:203", {"10.0.0.0/8"}), "");
}

TEST(IpNetworks, are_read_as_people_write_them) {
  EXPECT_TRUE(read_ip_network("10.0.0.0/8"));
  EXPECT_TRUE(read_ip_network("0.0.0.0/0"));
  EXPECT_TRUE(read_ip_network("fd00::/8"));
  EXPECT_TRUE(read_ip_network("::1"));
  for (const std::string_view text :
       {"", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.1/8", "fd00::1/8", "10.0.0/8", "10.0.0.0/8x",
        "10.0.0.0/-1", "localhost", "[::1]", "fe80::1%eth0", "0x7f.1", "127.1"})
    EXPECT_FALSE(read_ip_network(text)) << text;
}

TEST(IpAddresses, are_those_of_a_socket) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(0x7f000001);
  EXPECT_EQ(text_of(ip_address_of(reinterpret_cast<const sockaddr&>(v4)).value()), "127.0.0.1");
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  EXPECT_EQ(text_of(ip_address_of(reinterpret_cast<const sockaddr&>(v6)).value()), "::1");
  sockaddr local{};
  local.sa_family = AF_UNIX;
  EXPECT_FALSE(ip_address_of(local));
}

// ---- beside another implementation -------------------------------------------------------------------------

// Python's list is of the same registries, of another year. Where it may differ: it takes all of 192.0.0.0/24 and
// 2001::/23 apart, and does not know newer rows.
TEST(AddressRules, refuse_whatever_python_takes_for_special) {
  const tenure::testing::TemporaryFolder folder;
  const std::string script = folder.path() + "/ask.py";
  std::ofstream(script) << R"(
import ipaddress, random
draw = random.Random(20260101)
edges = ["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.2.0/24",
         "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
         "::1/128", "::/128", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8", "2001:db8::/32", "2002::/16",
         "2000::/3", "::ffff:0:0/96"]
asked = []
for text in edges:
    network = ipaddress.ip_network(text)
    kind = ipaddress.IPv4Address if network.version == 4 else ipaddress.IPv6Address
    top = 2 ** network.max_prefixlen - 1
    for number in (int(network[0]) - 1, int(network[0]), int(network[-1]), int(network[-1]) + 1):
        if 0 <= number <= top:
            asked.append(kind(number))
asked += [ipaddress.IPv4Address(draw.getrandbits(32)) for _ in range(3000)]
asked += [ipaddress.IPv6Address(draw.getrandbits(128)) for _ in range(1000)]
asked += [ipaddress.IPv6Address((0xffff << 32) | draw.getrandbits(32)) for _ in range(1000)]
for each in asked:
    judged = getattr(each, "ipv4_mapped", None) or each
    special = (not judged.is_global or judged.is_multicast or judged.is_reserved
               or getattr(judged, "is_site_local", False))
    print(each, "special" if special else "public")
)";
  FILE* pipe = popen(("/usr/bin/python3 " + script).c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.append(buffer.data(), n);
  ASSERT_EQ(pclose(pipe), 0);
  std::istringstream lines(output);
  int special = 0;
  int open = 0;
  for (std::string address, verdict; lines >> address >> verdict;) {
    if (verdict == "special") {
      ++special;
      EXPECT_NE(refusal(address), "") << address;
    } else {
      ++open;
      const bool stricter = address.starts_with("192.0.0.") || address.starts_with("192.88.99.") ||
                            address.starts_with("2001:") || address.starts_with("2002:");
      EXPECT_TRUE(stricter || refusal(address).empty()) << address;
    }
  }
  EXPECT_GT(special, 1000);
  EXPECT_GT(open, 2000);
}

}  // namespace
}  // namespace tenure::webhook
