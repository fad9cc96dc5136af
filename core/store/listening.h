// How clients of a real store hear what others changed (Notification): the simulator's do as the adapters' do.
//
// Thread rule: immutable.
#pragma once

#include "core/base/time.h"

namespace tenure {

// A connection to listen on that broke, or that could not be made, is tried again once in this time. Whoever listens
// again looks at everything: it may have missed something.
inline constexpr Duration kListenAgain = Duration::seconds(1);

}  // namespace tenure
