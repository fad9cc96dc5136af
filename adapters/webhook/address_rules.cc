#include "adapters/webhook/address_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace tenure::webhook {
namespace {

struct SpecialNetwork {
  IpNetwork network;
  std::string_view what;
};

const std::vector<SpecialNetwork>& special_networks() {
  static const std::vector<SpecialNetwork> networks = [] {
    constexpr std::pair<std::string_view, std::string_view> kTable[] = {
        {"0.0.0.0/8", "an address of this host"},
        {"10.0.0.0/8", "a private address"},
        {"100.64.0.0/10", "an address behind a carrier's NAT"},
        {"127.0.0.0/8", "a loopback address"},
        {"169.254.0.0/16", "a link-local address"},
        {"172.16.0.0/12", "a private address"},
        {"192.0.0.0/24", "an address for protocols"},
        {"192.0.2.0/24", "an address for documentation"},
        {"192.88.99.0/24", "a 6to4 relay"},
        {"192.168.0.0/16", "a private address"},
        {"198.18.0.0/15", "an address for benchmarks"},
        {"198.51.100.0/24", "an address for documentation"},
        {"203.0.113.0/24", "an address for documentation"},
        {"224.0.0.0/4", "a multicast address"},
        {"255.255.255.255/32", "the broadcast address"},
        {"240.0.0.0/4", "a reserved address"},
        {"::/128", "an address of this host"},
        {"::1/128", "a loopback address"},
        {"fc00::/7", "a private address"},
        {"fe80::/10", "a link-local address"},
        {"fec0::/10", "a private address"},
        {"ff00::/8", "a multicast address"},
        {"2001::/23", "an address for protocols, such as Teredo"},
        {"2001:db8::/32", "an address for documentation"},
        {"2002::/16", "a 6to4 address"},
        {"3fff::/20", "an address for documentation"},
    };
    std::vector<SpecialNetwork> read;
    for (const auto& [text, what] : kTable) {
      const auto network = read_ip_network(text);
      CHECK(network.has_value(), "the table has networks");
      read.push_back({*network, what});
    }
    return read;
  }();
  return networks;
}

std::optional<std::string_view> special(const IpAddress& address) {
  for (const SpecialNetwork& each : special_networks())
    if (each.network.contains(address)) return each.what;
  // All public addresses of IPv6 are here (RFC 4291); the rest is reserved, or stands for something else.
  static const IpNetwork global_unicast = *read_ip_network("2000::/3");
  if (address.v6 && !global_unicast.contains(address)) return "not a public address";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> refusal_of(const IpAddress& address, std::span<const IpNetwork> allowed) {
  const IpAddress inner = unwrapped(address);
  const bool is_allowed = std::any_of(allowed.begin(), allowed.end(), [&](const IpNetwork& network) {
    return network.contains(address) || network.contains(inner);
  });
  if (is_allowed) return std::nullopt;
  const auto what = special(inner);
  if (!what) return std::nullopt;
  if (inner == address) return fmt::format("{} is {}", text_of(address), *what);
  return fmt::format("{} stands for {}, which is {}", text_of(address), text_of(inner), *what);
}

}  // namespace tenure::webhook
