// Whether a leader gets done what is due, and when it should let another try.
//
// A leader is stuck while something is due, or while it does not know whether anything is, and it is the store that
// it waits for. Each row that it covers ends that, and begins it anew. Stuck for `bound`, it asks to step aside; and
// each time without a row covered in between it lets the others go first for longer, up to `bound` itself, so that a
// cluster in which nobody can fire does not spin, and yet is never without a leader for longer than that.
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

  // What is so from now on: `why` it is stuck, a literal; empty: it is not.
  void see(std::string_view why, MonoTime now);
  // A request of several was answered, and the next one goes on from there.
  void went_on(MonoTime now) {
    if (since_) since_ = now;
  }
  // A row was covered.
  void covered(MonoTime now) {
    went_on(now);
    times_ = 0;
  }
  // Nothing is known to be stuck: the leadership is over, or new.
  void reset() { since_.reset(); }

  // When it will have been stuck for too long; max() while it is not.
  MonoTime deadline() const { return since_ && bound_ > Duration{} ? *since_ + bound_ : MonoTime::max(); }
  // REQUIRES: deadline() has come.
  StepAside step_aside();

  void hash(Hasher& hasher, const Canon& canon) const;

 private:
  Duration bound_;
  std::optional<MonoTime> since_;
  std::string_view why_;
  std::uint32_t times_ = 0;  // that it asked, since a row was covered
};

}  // namespace tenure
