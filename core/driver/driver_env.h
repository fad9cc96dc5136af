// The Env of one step: it passes what a node asks for to the driver.
//
// Thread rule: lives for one step.
#pragma once

#include "core/driver/driver.h"

namespace tenure {

class DriverEnv final : public Clock, public Network, public Store, public Work, public Journal {
 public:
  DriverEnv(Driver& driver, const Readings& now, DriverHost& host)
      : driver_(driver), now_(now), host_(host) {}

  MonoTime mono() const override { return now_.mono; }
  WallTime wall() const override {
    host_.wall_clock_read();
    return now_.wall;
  }
  void set_timer(TimerId timer, MonoTime deadline) override;
  void cancel_timer(TimerId timer) override;
  void send(NodeId to, Message message) override;
  RequestId submit(Submission submission) override;
  void execute(const WorkItem& item) override;
  void write(const WriteItem& item) override;
  void note(const Note& note) override;

 private:
  template <class Asked>
  void queue(Asked&& effect);

  Driver& driver_;
  const Readings now_;
  DriverHost& host_;
};

}  // namespace tenure
