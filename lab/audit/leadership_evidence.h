// What a leader did, what it believed and what it was granted, compared in each life alone, by the node's own clock.
//
//   acts-within-belief   A leader's request, and work that begins, is covered by a belief of the same life that lasts
//                        when it is asked for, under the token that it shows.
//   belief-within-grant  A belief is covered by grants of its token, which that life had been answered before: it ends
//                        no later than the latest of them allows. A grant allows its lease from when it was asked for,
//                        less the drift and the guard of the life's settings (core/lease/fenced_lease). After a
//                        step-down only later grants count. A token that was given back, was refused a renewal, or
//                        was followed by a later one covers nothing. A life does not stop, or give a lease back, while
//                        it believes in it.
//   granted-as-asked     A grant is for no longer than was asked for, and a renewal's is of the token that it showed.
//
// A life whose journal begins late may have been granted something before that. A belief that ends within the longest
// lease after the beginning is not judged then.
//
// Thread rule: a pure function.
#pragma once

#include "lab/audit/findings.h"
#include "lab/audit/history.h"
#include "sim/checkers/names.h"

namespace tenure::sim {

void compare_leadership(const JournalHistory& history, const Names& names, AuditFindings& findings);

}  // namespace tenure::sim
