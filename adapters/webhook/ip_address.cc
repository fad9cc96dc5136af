#include "adapters/webhook/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tenure::webhook {
namespace {

unsigned bits_of(const IpAddress& address) { return address.v6 ? 128 : 32; }

bool bit(const IpAddress& address, unsigned at) { return ((address.bytes[at / 8] >> (7 - at % 8)) & 1) != 0; }

// The last four bytes of an IPv6 address, as an address of IPv4.
IpAddress last_four(const IpAddress& address) {
  IpAddress inner;
  std::copy_n(address.bytes.begin() + 12, 4, inner.bytes.begin());
  return inner;
}

}  // namespace

std::optional<IpAddress> read_ip_address(std::string_view text) {
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  IpAddress address;
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes.data()) == 1) return address;
  address.v6 = true;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

std::optional<IpAddress> ip_address_of(const sockaddr& address) {
  IpAddress found;
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    std::memcpy(found.bytes.data(), &v4.sin_addr, 4);
    return found;
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    found.v6 = true;
    std::memcpy(found.bytes.data(), &v6.sin6_addr, 16);
    return found;
  }
  return std::nullopt;
}

std::string text_of(const IpAddress& address) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof text);
  return text;
}

bool IpNetwork::contains(const IpAddress& address) const {
  if (address.v6 != base.v6) return false;
  for (unsigned at = 0; at < prefix; ++at)
    if (bit(address, at) != bit(base, at)) return false;
  return true;
}

std::optional<IpNetwork> read_ip_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto base = read_ip_address(text.substr(0, slash));
  if (!base) return std::nullopt;
  IpNetwork network{*base, bits_of(*base)};
  if (slash == std::string_view::npos) return network;
  const std::string_view digits = text.substr(slash + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), network.prefix);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (network.prefix > bits_of(*base)) return std::nullopt;
  for (unsigned at = network.prefix; at < bits_of(*base); ++at)
    if (bit(*base, at)) return std::nullopt;
  return network;
}

IpAddress unwrapped(const IpAddress& address) {
  static const IpNetwork mapped = *read_ip_network("::ffff:0:0/96");
  static const IpNetwork nat64 = *read_ip_network("64:ff9b::/96");
  return mapped.contains(address) || nat64.contains(address) ? last_four(address) : address;
}

}  // namespace tenure::webhook
