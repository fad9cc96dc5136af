// The part of the key table that is about tuning; internal to this room.
//
// Thread rule: immutable.
#pragma once

#include "format/schema/keys.h"

namespace tenure::sim {

extern const SectionSpec kTuneSection;
extern const SectionSpec kProfileSection;

}  // namespace tenure::sim
