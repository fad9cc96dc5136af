// The part of the key table that is about comparing; internal to this room.
//
// Thread rule: immutable.
#pragma once

#include "format/schema/keys.h"

namespace tenure::sim {

extern const SectionSpec kCompareSection;

}  // namespace tenure::sim
