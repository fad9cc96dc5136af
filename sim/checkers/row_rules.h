// What a ledger row may say of the slots in it: the rules for late slots, overlap and pauses of their definition.
//
// A leader judges lateness by its own reading of the store's clock. `latest` is the latest that it may have read when
// it decided on the row: a row is wrong only if it is so by that time.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>

#include "core/store/house/requests.h"
#include "sim/checkers/busy_book.h"
#include "sim/checkers/schedule_book.h"

namespace tenure::sim {

struct WrongRow {
  StoreTime slot;   // one that the row should not say this of
  std::string why;  // "which …", "although …", to follow "slot was recorded as missed by n1 at 12s, "
};

// nullopt when the row is right. REQUIRES: it is a row of `version`.
std::optional<WrongRow> wrong_row(const house::Covering& row, const ScheduleVersion& version,
                                  StoreTime latest, const BusyBook& busy);

}  // namespace tenure::sim
