// The records of a simulation that lines and answers of a journal stand for.
//
// Thread rule: pure functions, but for what they show to a checker.
#pragma once

#include "lab/audit/event_order.h"
#include "sim/checkers/checker.h"

namespace tenure::lab {

// What speaks for itself in a line. Answers are told as StoreExecuted, and the end of work as WorkOver.
void show_line(sim::Checker& checker, sim::TrueTime now, const journal::Line& line);

void show_executed(sim::Checker& checker, sim::TrueTime now, const StoreExecuted& executed);

// How work came to where it is done, by what came back of it.
sim::DeliveryOutcome landing_of(WorkResult result);

}  // namespace tenure::lab
