// Compares acknowledgements with the work that they are about.
//
//   work-was-done  A process acknowledges an event as delivered only after its work came back to it as over: done,
//                  stopped, or refused because it had been done before. What it gives up as dead has failed there as
//                  often as it says, and as often as its schedule allows, or has become too old.
//
//   waits-as-asked  What failed with a wish to be left alone begins again no sooner, in the same leadership.
//
// Work that is refused as done before has begun in some journal; else one is missing, or it began nowhere.
//
// Before version 4, journals did not say which events were acknowledged: then nothing is judged.
//
// Thread rule: a pure function.
#pragma once

#include "lab/audit/definitions.h"
#include "lab/audit/findings.h"
#include "lab/audit/history.h"
#include "sim/checkers/names.h"

namespace tenure::sim {

// Whether clients have acknowledged events: no line tells which.
bool clients_may_take(const JournalHistory& history);

void compare_deliveries(const JournalHistory& history, const Definitions& definitions, const Names& names,
                        AuditFindings& findings);

}  // namespace tenure::sim
