// Is told what a tuning does, while it does it.
//
// Thread rule: the session's thread.
#pragma once

#include <cstdint>

#include "lab/session/counterexample.h"

namespace tenure::lab {

struct TuneProgress {
  std::uint64_t done = 0;
  std::uint64_t from_before = 0;  // of these, runs that were saved and not run again
  std::uint64_t planned = 0;      // in total, as far as known
};

// Counterexamples are failures beyond the frontier.
class TuneObserver : public CounterexampleObserver {
 public:
  virtual void progressed(const TuneProgress&) {}
  // No run comes after this.
  virtual void interrupted(const TuneProgress&) {}
  virtual void runs_are_over(const TuneProgress&) {}
};

}  // namespace tenure::lab
