// What a driver tells its host, and asks of it, in the middle of a call.
//
// The host decides nothing here: it may write down what it is told, set an alarm on its own clock, and draw random
// numbers. The driver alone decides what follows from an input. None of these functions may call the driver back.
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
  // A step asked for this. It waits to leave, behind the effects that already wait.
  virtual void queued(const Effect&) {}
  // A step noted this. `believed`: by its earlier notes, the node believed at this moment that it leads.
  virtual void noted(const Note&, bool /*believed*/) {}
  // A step looked at its wall clock.
  virtual void wall_clock_read() {}
  // For hosts with their own queue of events; other hosts ask for next_alarm() and due(). Before a timer's alarm is set
  // again, alarm_dropped() is called for the old one, unless the host has already called the driver for it.
  virtual void alarm_set(const Alarm&) {}
  virtual void alarm_dropped(const Alarm&) {}
  // The machine's; null: no node here may use one.
  virtual Disk* disk() { return nullptr; }
};

}  // namespace tenure
