// Whether a leader makes progress with what is due, and when it should let another instance try.
//
// A leader is stuck while it waits for the store and something is due, or may be due. Each row that it covers starts
// the time again. After `bound` it asks to step aside. Each time without a covered row in between, the others go first
// for longer, up to `bound`. So a cluster in which no instance can fire does not spin, and is never without a leader
// for longer than `bound`.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/model/instance.h"
#include "core/model/node.h"

namespace tenure {

class StallWatch {
 public:
  // `bound` of zero: never asks.
  explicit StallWatch(Duration bound) : bound_(bound) {}

  // The state from now on. `why`: a literal that says why it is stuck; empty: it is not.
  void see(std::string_view why, MonoTime now);
  // One of several requests was answered, and the next one continues from there.
  void went_on(MonoTime now) {
    if (since_) since_ = now;
  }
  // A row was covered.
  void covered(MonoTime now) {
    went_on(now);
    times_ = 0;
  }
  // The leadership is over, or new: nothing is known to be stuck.
  void reset() { since_.reset(); }

  // When it has been stuck for too long; max() while it is not stuck.
  MonoTime deadline() const { return since_ && bound_ > Duration{} ? *since_ + bound_ : MonoTime::max(); }
  // REQUIRES: deadline() has come.
  StepAside step_aside();

  void hash(Hasher& hasher, const Canon& canon) const;

 private:
  Duration bound_;
  std::optional<MonoTime> since_;
  std::string_view why_;
  std::uint32_t times_ = 0;  // how often it has asked since a row was covered
};

}  // namespace tenure
