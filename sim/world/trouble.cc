#include "sim/world/trouble.h"

namespace tenure::sim {

std::string_view name_of(Trouble trouble) {
  switch (trouble) {
    case Trouble::start: return "start";
    case Trouble::crash: return "crash";
    case Trouble::pause: return "pause";
    case Trouble::deploy: return "deploy";
    case Trouble::network: return "network";
    case Trouble::store: return "store";
    case Trouble::clock: return "clock";
    case Trouble::slow: return "slow";
    case Trouble::other: break;
  }
  return "other";
}

}  // namespace tenure::sim
