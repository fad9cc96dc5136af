// A design's process as a part of an instance: an elector for any scheduler, a scheduler on any elector, or, where one
// program is both, the whole node.
//
// A Host runs one life of a design: tasks in Lua, or a process in any language. It is made of the design and a
// HostSetup, and has step, leadership, hear and is_over (adapters/lua/host.h, adapters/process/host.h).
//
// Thread rule: as Node.
#pragma once

#include <cstdint>
#include <memory>

#include "adapters/design/description.h"
#include "core/base/check.h"
#include "core/lease/elector_kind.h"
#include "core/model/instance.h"
#include "core/scheduler/scheduler_kind.h"

namespace tenure::design {

// What a life is given of its instance.
struct HostSetup {
  Role role = Role::elector;
  StoreId store;
  ResourceId resource;
  Parameters parameters;
  std::uint32_t schedules = 0;  // those that there may be have ids below this
};

[[noreturn]] inline void refuse_copies() {
  CHECK(false, "lives of designs are not copied or hashed: who copies or hashes nodes refuses designs");
}

template <typename Host>
class DesignElector final : public Elector {
 public:
  template <typename Design>
  DesignElector(const Design& design, const ElectorSetup& setup)
      : host_(design, {Role::elector, setup.store, setup.resource, setup.parameters}) {}

  void step(const Input& input, Env& env) override { host_.step(input, env); }
  Leadership leadership(const Clock& clock) const override { return host_.leadership(clock); }
  std::unique_ptr<Elector> clone() const override { refuse_copies(); }
  void hash(Hasher&, const Canon&) const override { refuse_copies(); }

 private:
  Host host_;
};

template <typename Host>
class DesignScheduler final : public Scheduler {
 public:
  template <typename Design>
  DesignScheduler(const Design& design, const SchedulerSetup& setup)
      : host_(design, {Role::scheduler, setup.store, setup.resource, setup.parameters, setup.schedules}) {}

  void step(const Input& input, const Leadership& leadership, Env& env) override {
    host_.hear(leadership);
    host_.step(input, env);
  }
  bool idle() const override { return host_.is_over(); }
  std::unique_ptr<Scheduler> clone() const override { refuse_copies(); }
  void hash(Hasher&, const Canon&) const override { refuse_copies(); }

 private:
  Host host_;
};

template <typename Host>
class DesignNode final : public Node {
 public:
  template <typename Design>
  DesignNode(const Design& design, const ElectorSetup& setup)
      : host_(design, {Role::both, setup.store, setup.resource, setup.parameters, setup.schedules}) {}

  void step(const Input& input, Env& env) override { host_.step(input, env); }
  std::unique_ptr<Node> clone() const override { refuse_copies(); }
  void hash(Hasher&, const Canon&) const override { refuse_copies(); }

 private:
  Host host_;
};

}  // namespace tenure::design
