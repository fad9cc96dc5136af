// How long a leader has been unable to do one thing that it must do, and when it should let another instance try.
//
// There is one watch for each such thing, which is told of it by see() or by failed(), and never by both. What is
// wanted all the time fails from when it is wanted until it succeeds. What is tried now and then fails from when the
// first attempt was made that failed: however few attempts follow, and whatever the leader waits for in between. But
// from one attempt to the next no more than half of `bound` counts: with an old failure, a blip would else be
// enough. It is stuck when it has failed for `bound`, and the latest attempt has failed as well: after a short blip
// the next attempt succeeds, or nothing is left to try. Then it asks to step aside. Each time without a success in
// between, the others go first for longer, up to `bound`. So a cluster in which no instance can do the thing does
// not spin, and is never without a leader for longer than `bound`.
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
  // One attempt that fails is an accident, and another leader would try no more than two.
  static constexpr std::uint32_t kFailures = 3;

  // `bound` of zero: never asks.
  explicit StallWatch(Duration bound) : bound_(bound) {}

  // For what is wanted all the time until it succeeds. `why`: a literal that says what cannot be done; empty: it
  // succeeded, or nothing is wanted.
  void see(std::string_view why, MonoTime now);
  // One of several requests was answered, and the next one continues from there: it has `longer` as well.
  void went_on(Duration longer, MonoTime now);
  // For what is tried now and then: the attempt that was made at `tried` failed. kFailures are enough.
  void failed(std::string_view why, MonoTime tried);
  // For what is tried again as soon as it has failed: it is not wanted now. If that lasts, what failed is forgotten.
  void not_wanted(MonoTime now);
  // A part of what is tried now and then was done: nothing is in its way now, as far as is known.
  void may_go_on() { fails_ = false; }
  // An attempt succeeded.
  void succeeded();
  // Nothing is wanted any more; or the leadership is over, or new.
  void reset();

  // When it has been stuck for too long; max() while it is not stuck.
  MonoTime deadline() const;
  // REQUIRES: deadline() has come.
  StepAside step_aside();

  void hash(StateHasher& state) const;

 private:
  Duration bound_;
  std::optional<MonoTime> since_;  // later by what does not count
  MonoTime latest_;                // when the latest attempt was made that failed
  bool fails_ = false;             // the latest attempt failed
  std::string_view why_;
  std::uint32_t failures_ = 0;  // up to kFailures, and so many if it is wanted all the time
  std::uint32_t times_ = 0;     // how often it has asked since a success
};

}  // namespace tenure
