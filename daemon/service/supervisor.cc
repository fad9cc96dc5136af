#include "daemon/service/supervisor.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace tenure::daemon {

void tell_supervisor(std::string_view state) {
  const char* place = std::getenv("NOTIFY_SOCKET");
  if (place == nullptr) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(place);
  if (length == 0 || length >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, place, length);
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // in the abstract namespace
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  // Nobody may be there any more: that is not for us to say.
  static_cast<void>(::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&address), size));
  ::close(socket);
}

Duration watchdog_period() {
  const char* micros = std::getenv("WATCHDOG_USEC");
  if (micros == nullptr) return {};
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(micros, micros + std::strlen(micros), value);
  return error == std::errc{} && *end == '\0' && value > 0 ? Duration::micros(value) : Duration{};
}

}  // namespace tenure::daemon
