// idle: fires nothing. An example of an addition (docs/how-to-add.md).
//
// Thread rule: one instance belongs to one thread.
#pragma once

#include "sim/protocols/kind_parts.h"

namespace tenure {

class Idle final : public CopyableScheduler<Idle> {
 public:
  explicit Idle(const SchedulerSetup&) {}

  void step(const Input&, const Leadership&, Env&) override {}
  bool idle() const override { return true; }
  void hash(Hasher&, const Canon&) const override {}
};

extern const SchedulerKind kIdle;

}  // namespace tenure
