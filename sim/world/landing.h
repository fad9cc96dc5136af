// What the record says of an outside resource's answer.
//
// Thread rule: pure functions.
#pragma once

#include "sim/models/resource.h"
#include "sim/world/record.h"

namespace tenure::sim {

inline DeliveryOutcome outcome_of(OutsideResource::Answer answer) {
  switch (answer) {
    case OutsideResource::Answer::begin: return DeliveryOutcome::begun;
    case OutsideResource::Answer::fenced: return DeliveryOutcome::fenced;
    case OutsideResource::Answer::running: return DeliveryOutcome::running;
    case OutsideResource::Answer::duplicate: break;
  }
  return DeliveryOutcome::duplicate;
}

}  // namespace tenure::sim
