// Work of a run: what was asked for, what began, and what an instance had in hand.
//
// Thread rule: pure functions.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tests/judge/history.h"
#include "tests/judge/invariants.h"
#include "tests/judge/ledger.h"

namespace tenure::judging {

// When the work of each event first began.
std::map<reference::EventId, sim::TrueTime> begun_work(const History& history);

// The events that a request is to take from the outbox, delivered or given up.
std::vector<reference::EventId> taken_by(const Request& request);

// Work that an instance had asked for and had not told the store of: from the request until the acknowledgement that
// it submitted, or its death.
struct InHand {
  reference::EventId event;
  Incarnation who;
  sim::TrueTime from;
  sim::TrueTime to = sim::TrueTime::max();
  StoreTime to_store = StoreTime::max();  // the store's clock then
};
std::vector<InHand> work_in_hand(const History& history);

// Does a slot of this version wait, as `overlap = "queue_one"` says, for work that is in hand at the end of the run?
bool waits_for_work(const std::vector<InHand>& in_hand, const Version& version, sim::TrueTime end);

}  // namespace tenure::judging
