// What a ledger row may say about its slots: the definition's rules for late slots, overlap and pauses.
//
// A leader decides on a row by its own reading of the store's clock, some time between `earliest` and `latest`. So a
// row is wrong only if it is wrong at all of these times.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>

#include "core/store/reference/requests.h"
#include "sim/checkers/trackers/event_lifecycle.h"
#include "sim/checkers/trackers/range_set.h"
#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/checkers/trackers/store_clock_tracker.h"

namespace tenure::sim {

struct RowReading {
  StoreTime earliest;
  StoreTime latest;
  Duration ahead;  // how far it may be ahead of the store's clock
  // Overlap::queue_one: the row follows a fire that was decided on by this time, so its slot may have been held until
  // work ended; nullopt when it follows no fire.
  std::optional<StoreTime> follows_fire = {};
  // The same commit has fired an earlier slot of the version: both were decided on before the work of the first began.
  bool with_fire = false;
  // Overlap::queue_one: the slot that it fires came while another waited, and should have been suppressed.
  bool came_beside = false;
  // Others deliver its event: the store judges what overlaps, by what waits there.
  bool store_judges = false;
};

struct WrongRow {
  StoreTime slot;   // a slot about which the row is wrong
  std::string why;  // "which …", "although …", to follow "slot was recorded as missed by n1 at 12s, "
};

// nullopt when the row is right. REQUIRES: it is a row of `version`.
std::optional<WrongRow> wrong_row(Incarnation who, const reference::LedgerRow& row,
                                  const ScheduleVersion& version, const RowReading& reading,
                                  const EventLifecycle& work, const StoreClockTracker& clock);

// "fired", "coalesced", "recorded as missed".
std::string said_of(const reference::LedgerRow& row);

// A single fire's row that spans more than its own slot accounts for no more than that.
StoreRange reach_of_fired(const reference::LedgerRow& row, const ScheduleVersion& version);

}  // namespace tenure::sim
