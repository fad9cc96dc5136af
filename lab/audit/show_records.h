// The records of a simulation that lines and answers of a journal stand for.
//
// Thread rule: pure functions, but for what they show to an observer.
#pragma once

#include "lab/audit/event_order.h"
#include "sim/world/record.h"

namespace tenure::lab {

// What speaks for itself in a line. Answers are told as StoreExecuted, and the end of work as WorkOver.
void show_line(sim::Observer& observer, sim::TrueTime now, const journal::Line& line);

void show_executed(sim::Observer& observer, sim::TrueTime now, const StoreExecuted& executed);

// All that a moment tells. What may have been executed is not known, and is not shown.
void show_moment(sim::Observer& observer, sim::TrueTime now, const Moment& moment);

// How work came to where it is done, by what came back of it.
sim::DeliveryOutcome landing_of(WorkResult result);

}  // namespace tenure::lab
