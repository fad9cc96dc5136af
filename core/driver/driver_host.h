// What a driver tells whoever runs it, and asks of them, in the middle of a call.
//
// These are not decisions: a host may write them down, put an alarm on its own clock, and draw random numbers. What
// follows from an input is the driver's business. None of them may call the driver back.
//
// Thread rule: called on the thread that calls the driver.
#pragma once

#include <optional>

#include "core/driver/effect.h"
#include "core/model/env.h"
#include "core/model/input.h"

namespace tenure {

// A moment on the node's monotonic clock at which the driver is to be called: fire() for a timer, give_up() for a
// request that has no answer by its deadline.
struct Alarm {
  std::optional<TimerId> timer;  // none: the deadline of `request`
  RequestId request;
  MonoTime deadline;
};

class DriverHost : public Random {
 public:
  // The node is about to be stepped with this.
  virtual void stepping(const Input&) {}
  // A step asked for this. It waits to leave, behind what waits already.
  virtual void queued(const Effect&) {}
  // A step said this. `believed`: by what it had said before, it believed at this moment that it leads.
  virtual void noted(const Note&, bool /*believed*/) {}
  // For hosts that have a queue of events of their own; others ask for next_alarm() and due(). An alarm that was set is
  // dropped before another is set for the same timer. One that the host has called the driver for is not dropped.
  virtual void alarm_set(const Alarm&) {}
  virtual void alarm_dropped(const Alarm&) {}
};

}  // namespace tenure
