// Whether a leader makes progress with what is due, and when it should let another instance try.
//
// A leader is stuck while it waits for the store and something is due, or may be due. Each row that it covers starts
// the time again. After `bound` it asks to step aside. Each time without a covered row in between, the others go first
// for longer, up to `bound`. So a cluster in which no instance can fire does not spin, and is never without a leader
// for longer than `bound`.
//
// What the leader waits for by design stops the time, and does not start it again. An answer after which the next
// request goes on where it ended does. But kFailures requests that failed without a covered row in between, the first
// of them `bound` ago, are enough, whatever happened meanwhile.
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
  static constexpr std::uint32_t kFailures = 3;

  // `bound` of zero: never asks.
  explicit StallWatch(Duration bound) : bound_(bound) {}

  // The state from now on. `why`: a literal that says why it is stuck; empty: it is not.
  void see(std::string_view why, MonoTime now);
  // From now on something may be due, and waits for something else than the store.
  void wait(MonoTime now);
  // One of several requests was answered, and the next one continues from there.
  void went_on(MonoTime now);
  // A request failed without which nothing is covered. `why`: as for see().
  void failed(std::string_view why, MonoTime now);
  // A row was covered.
  void covered(MonoTime now);
  // The leadership is over, or new: nothing is known to be stuck.
  void reset();

  // When it has been stuck for too long; max() while it is not stuck, or waits.
  MonoTime deadline() const;
  // REQUIRES: deadline() has come.
  StepAside step_aside();

  void hash(Hasher& hasher, const Canon& canon) const;

 private:
  Duration bound_;
  std::optional<MonoTime> since_;
  std::optional<MonoTime> waits_since_;
  std::string_view why_;
  std::uint32_t failures_ = 0;             // since a row was covered, or it was not stuck
  std::optional<MonoTime> failing_since_;  // the first of them
  bool fails_too_long_ = false;
  std::uint32_t times_ = 0;  // how often it has asked since a row was covered
};

}  // namespace tenure
