// Where the daemon listens, as text.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "daemon/config/config.h"

namespace tenure::daemon {

std::string text_of(const Endpoint& endpoint);
// "127.0.0.1:8420", "[::1]:8420"; port 0: the system chooses one. Or why it is none.
std::variant<Endpoint, std::string> read_endpoint(std::string_view text);

}  // namespace tenure::daemon
