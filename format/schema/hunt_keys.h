// The part of the key table that is about hunts; internal to this room.
//
// Thread rule: immutable.
#pragma once

#include "format/schema/keys.h"

namespace tenure::sim {

extern const SectionSpec kHuntSection;
extern const SectionSpec kExhaustiveSection;
extern const SectionSpec kRegressionSection;

}  // namespace tenure::sim
