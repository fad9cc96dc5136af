// IP addresses and networks as values: what a connection goes to, and what a destination allows.
//
// Thread rule: values and pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sockaddr;

namespace tenure::webhook {

struct IpAddress {
  bool v6 = false;
  std::array<std::uint8_t, 16> bytes{};  // in network order; of IPv4 the first four, and the others are zero

  bool operator==(const IpAddress&) const = default;
};

// From "192.0.2.1" or "2001:db8::1", without brackets or a zone. nullopt: it is something else.
std::optional<IpAddress> read_ip_address(std::string_view text);
// Of AF_INET and AF_INET6. nullopt: another family.
std::optional<IpAddress> ip_address_of(const sockaddr& address);
std::string text_of(const IpAddress& address);

// The addresses that share their first `prefix` bits.
struct IpNetwork {
  IpAddress base;
  unsigned prefix = 0;

  bool contains(const IpAddress& address) const;  // false for an address of the other version
};

// From "10.0.0.0/8", "fd00::/8", or an address alone. nullopt: it is something else, or has bits after the prefix.
std::optional<IpNetwork> read_ip_network(std::string_view text);

// The IPv4 address that an IPv6 address stands for: mapped (::ffff:0:0/96), or reached through the well-known prefix of
// NAT64 (64:ff9b::/96, RFC 6052). Any other address is itself.
IpAddress unwrapped(const IpAddress& address);

}  // namespace tenure::webhook
