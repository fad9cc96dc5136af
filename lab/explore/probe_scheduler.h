// The simplest scheduler: one piece of work when a leadership begins.
//
// It checks its leadership as schedulers do, and asks for the work in the same step. What goes wrong afterwards is not
// its fault: the effect leaves later, and arrives later still.
//
// Thread rule: one instance belongs to one thread.
#pragma once

#include <memory>

#include "core/model/instance.h"

namespace tenure::lab::explore {

class ProbeScheduler final : public Scheduler {
 public:
  explicit ProbeScheduler(ResourceId resource) : resource_(resource) {}

  void step(const Input&, const Leadership& leadership, Env& env) override {
    const bool leads = leadership.leads(env.clock.mono());
    if (leads && !acted_) env.work.execute({resource_, {}, leadership.token, false});
    acted_ = leads;
  }
  bool idle() const override { return true; }
  std::unique_ptr<Scheduler> clone() const override { return std::make_unique<ProbeScheduler>(*this); }
  void hash(Hasher& hasher, const Canon&) const override { hasher.add(acted_); }

 private:
  ResourceId resource_;
  bool acted_ = false;  // in the present leadership
};

}  // namespace tenure::lab::explore
