// Designs brought to one price before they are compared (lab/compare/price.h): each is tuned, first by powers of two,
// and then by halves of what lies between the last that is cheap enough and the next that is not.
//
// Thread rule: one thread, which starts others.
#pragma once

#include <string>
#include <vector>

#include "lab/session/compare_session.h"

namespace tenure::lab {

struct EqualPrice {
  // Why designs cannot be brought to it, for people, by candidate.
  std::vector<CompareFindings::Unpriced> unpriced;
  bool interrupted = false;    // if true, do not read the rest
  std::string internal_error;  // the first broken invariant of ours; empty: none
};

// Changes the settings of the task's candidates. A design that is not right in any situation is left as it is: the
// comparison says why. REQUIRES: the task has a price.
EqualPrice bring_to_price(CompareTask& task, RunsObserver& observer);

}  // namespace tenure::lab
