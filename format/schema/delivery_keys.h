// The part of the key table that is about who delivers events; internal to this room.
//
// Thread rule: immutable.
#pragma once

#include "format/schema/keys.h"

namespace tenure::sim {

extern const SectionSpec kDestination;
extern const SectionSpec kWorker;

}  // namespace tenure::sim
