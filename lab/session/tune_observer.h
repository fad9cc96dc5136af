// Is told what a tuning does, while it does it.
//
// Thread rule: the session's thread.
#pragma once

#include <cstdint>

#include "lab/session/regression_writer.h"

namespace tenure::lab {

struct TuneProgress {
  std::uint64_t done = 0;
  std::uint64_t from_before = 0;  // of these, runs that were saved and not run again
  std::uint64_t planned = 0;      // in total, as far as known
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

  // A failure beyond the frontier has been saved, or could not be; is about to be shrunk; has its final form.
  virtual void saved(const SavedRegression&) {}
  virtual void shrinking(const SavedRegression&) {}
  virtual void kept(const SavedRegression&) {}
  // A failed run does not fail again alone: a bug of ours.
  virtual void does_not_fail_again(std::uint64_t /*seed*/) {}
};

}  // namespace tenure::lab
