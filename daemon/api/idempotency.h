// What has an Idempotency-Key happens once.
//
// The key gives the run its number, and the store does a run of one number once, for as long as it remembers runs. It
// keeps a digest of the body with it. So a repetition has no second effect, and another body under the same key is
// refused, whichever instance is asked (docs/adr/0060).
//
// Thread rule: as a handler.
#pragma once

#include <cstdint>

#include "daemon/api/call.h"

namespace tenure::daemon {

struct NamedRun {
  std::uint64_t number = 0;
  std::uint64_t digest = 0;  // of the body; 0: there is no key, so nothing is a repetition
};

// The run that the call's key names, or a new one. Throws HttpProblem if the key is too long.
NamedRun named_run(const Call& call, ScheduleId schedule);
// Throws HttpProblem if it is not known whether the run was asked for, and asking again would be another run.
void check_known(const Answer& answer, const NamedRun& run);
// Of a store that knows the run with another digest.
HttpProblem idempotency_mismatch();

}  // namespace tenure::daemon
