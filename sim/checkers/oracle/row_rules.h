// What a ledger row may say of the slots in it: the rules for late slots, overlap and pauses of their definition.
//
// A leader judges by its own reading of the store's clock, which is some time between `earliest` and `latest` when it
// decides on a row: a row is wrong only if it is so at all of these times.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>

#include "core/store/reference/requests.h"
#include "sim/checkers/trackers/busy_tracker.h"
#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/checkers/trackers/store_clock_tracker.h"

namespace tenure::sim {

struct RowReading {
  StoreTime earliest;
  StoreTime latest;
  Duration ahead;  // how far it may be ahead of the store's clock
  // Overlap::queue_one: the row follows a fire that was decided on by then, as its slot may have been held until work
  // ended; nullopt when it follows no fire.
  std::optional<StoreTime> follows_fire = {};
  // The same commit has fired an earlier slot of the version: both were decided on before the work of the first began.
  bool with_fire = false;
  // Overlap::queue_one: the slot that it fires came while another waited, and was to be suppressed.
  bool came_beside = false;
};

struct WrongRow {
  StoreTime slot;   // one that the row should not say this of
  std::string why;  // "which …", "although …", to follow "slot was recorded as missed by n1 at 12s, "
};

// nullopt when the row is right. REQUIRES: it is a row of `version`.
std::optional<WrongRow> wrong_row(Incarnation who, const reference::LedgerRow& row,
                                  const ScheduleVersion& version, const RowReading& reading,
                                  const BusyTracker& busy, const StoreClockTracker& clock);

}  // namespace tenure::sim
