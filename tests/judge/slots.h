// The slots of a definition, by trying: for a calendar, every reading of the local clock that the expression names, on
// every day, against every stretch of the zone. Apart from core/schedule, and from sim/checkers/oracle/calendar.
//
// What it must come to is said in docs/cron.md and docs/scenarios.md ("Schedules and changes").
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "core/schedule/definition.h"

namespace tenure::judging {

// Those in [from, to), in order, within the definition's bounds.
std::vector<StoreTime> slots_between(const Definition& definition, StoreTime from, StoreTime to);

bool is_slot(const Definition& definition, StoreTime time);

// When a slot is due: the slot, or later by its jitter.
StoreTime due_of(const Definition& definition, ScheduleId schedule, StoreTime slot);

}  // namespace tenure::judging
