// Who is told what a tuning does, while it does it.
//
// Thread rule: the session's thread.
#pragma once

#include <cstdint>

#include "lab/session/regression_writer.h"

namespace tenure::lab {

struct TuneProgress {
  std::uint64_t done = 0;
  std::uint64_t from_before = 0;  // of them, those that were kept and not run again
  std::uint64_t planned = 0;      // in all, as far as is known
};

class TuneObserver {
 public:
  TuneObserver() = default;
  TuneObserver(const TuneObserver&) = delete;
  TuneObserver& operator=(const TuneObserver&) = delete;
  virtual ~TuneObserver() = default;

  virtual void progressed(const TuneProgress&) {}
  // No run comes after this.
  virtual void interrupted(const TuneProgress&) {}
  virtual void runs_are_over(const TuneProgress&) {}

  // What fails beyond the frontier has been written down, or could not be; is about to be shrunk; and is as it stays.
  virtual void saved(const SavedRegression&) {}
  virtual void shrinking(const SavedRegression&) {}
  virtual void kept(const SavedRegression&) {}
  // A run that failed does not fail again by itself, which is our mistake.
  virtual void does_not_fail_again(std::uint64_t /*seed*/) {}
};

}  // namespace tenure::lab
