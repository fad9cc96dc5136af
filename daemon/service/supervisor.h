// Tells systemd how this service is: sd_notify(3), as its datagram.
//
// Thread rule: any thread.
#pragma once

#include <string_view>

#include "core/base/time.h"

namespace tenure::daemon {

// "READY=1", "STOPPING=1", "WATCHDOG=1". Does nothing where nobody asked for it (NOTIFY_SOCKET).
void tell_supervisor(std::string_view state);
// How often it wants to hear WATCHDOG=1, at least; zero: never.
Duration watchdog_period();

}  // namespace tenure::daemon
