// Which addresses a webhook may go to: those of the public internet, and those that its destination allows.
//
// A request that a schedule's owner can aim is a request from inside the network of whoever runs Tenure (server-side
// request forgery). So whatever IANA's registries of special-purpose addresses name is refused: this host, private and
// link-local networks (a cloud's metadata service is at 169.254.169.254), multicast, documentation, reserved ones. An
// IPv6 address that stands for an IPv4 address is judged as the latter; what tunnels IPv4 in another way (6to4, Teredo,
// a NAT64 prefix of one's own that is not public) is refused.
//
// Sources: https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "adapters/webhook/ip_address.h"

namespace tenure::webhook {

// Why nothing may be sent to this address, for people: "127.0.0.1 is a loopback address". nullopt: it may be used,
// because it is public, or one of the networks `allowed` has it.
std::optional<std::string> refusal_of(const IpAddress& address, std::span<const IpNetwork> allowed);

}  // namespace tenure::webhook
