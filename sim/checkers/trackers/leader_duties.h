// When a leader last did what a leader has to do, and how long something kept it from that by design.
//
// Thread rule: a value.
#pragma once

#include <deque>

#include "sim/checkers/trackers/fire_order.h"
#include "sim/checkers/trackers/outbox_look.h"
#include "sim/checkers/trackers/tries.h"
#include "sim/world/record.h"

namespace tenure::sim {

struct LeaderDuties {
  LeaderDuties(Incarnation leader, TrueTime begins, Duration apart)
      : who(leader), begin(begins), bound(apart) {}

  Incarnation who;
  TrueTime begin;  // of its leadership; so are the other times, unless something has happened since
  Duration bound;
  TrueTime waited = begin;                // it was held up by design last
  TrueTime since = begin;                 // the same, or it covered a row
  TrueTime covered = begin;               // a row, last
  TrueTime look = begin + bound;          // until then it cannot be stuck
  TrueTime full = begin;                  // all its workers were at work last
  TrueTime look_at_work = begin + bound;  // until then no work has waited for too long
  TrueTime judges = begin;                // the store's clock from then on: a clock of its own changed last
  OutboxLook outbox = OutboxLook(begin);
  // When it began manual runs and failed work since it covered a row or began a slot, the latest times.
  std::deque<TrueTime> others = {};
  Tries commits = {};
  Tries holds = {};
  FireOrder order = FireOrder(bound);
  // No slot that it owes was due before; min(): not known.
  StoreTime first_due = StoreTime::min();
};

}  // namespace tenure::sim
