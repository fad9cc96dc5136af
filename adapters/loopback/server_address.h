// Where a server listens on this machine.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <string>

namespace tenure::loopback {

struct ServerAddress {
  std::uint16_t port = 0;        // on 127.0.0.1
  std::string socket_path = {};  // if not empty: a Unix socket, instead of the port
};

}  // namespace tenure::loopback
