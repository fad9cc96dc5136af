// A design's process as a part of an instance: an elector for any scheduler, a scheduler on any elector, or, where one
// program is both, the whole node.
//
// A Host runs one life of a design: tasks in Lua, or a process in any language. It is made of the design and a
// HostSetup, and has step, leadership, hear and is_over (adapters/lua/host.h, adapters/process/host.h).
//
// Thread rule: as Node.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

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

// A design as kinds of the registries, which point to all that is given here. `kComplaints(design, values)` and
// `kEdit(design, edit)` are the design's.
template <typename Host, auto kComplaints, auto kEdit, typename Design>
void make_kinds(const Design& design, const Description& description, const DesignFile& file, bool validates,
                ElectorKind& elector, SchedulerKind& scheduler) {
  const auto fill = [&](auto& kind) {
    kind.parameters = {&description, [](const void* of) -> std::span<const ParameterSpec> {
                         return static_cast<const Description*>(of)->parameters();
                       }};
    kind.claims = {&description, [](const void* of) -> const std::vector<Claim>& {
                     return static_cast<const Description*>(of)->claims();
                   }};
    if (validates)
      kind.validate = {&design, [](const void* of, const Parameters& values) {
                         return std::invoke(kComplaints, *static_cast<const Design*>(of), values);
                       }};
  };
  const Role role = description.role();
  if (description.elects()) {
    elector.design = &file;
    fill(elector);
  }
  if (role == Role::elector)
    elector.make = {&design, [](const void* of, const ElectorSetup& setup) -> std::unique_ptr<Elector> {
                      return std::make_unique<DesignElector<Host>>(*static_cast<const Design*>(of), setup);
                    }};
  if (role == Role::both)
    elector.make_node = {&design, [](const void* of, const ElectorSetup& setup) -> std::unique_ptr<Node> {
                           return std::make_unique<DesignNode<Host>>(*static_cast<const Design*>(of), setup);
                         }};
  if (!description.schedules()) return;
  scheduler.name = elector.name;
  scheduler.summary = elector.summary;
  scheduler.store = elector.store;
  scheduler.design = &file;
  scheduler.edit = {&design, [](const void* of, const ScheduleEdit& edit) {
                      return std::invoke(kEdit, *static_cast<const Design*>(of), edit);
                    }};
  if (role == Role::both) return;  // one set of parameters, and one of claims: the election's
  scheduler.needs_tokens = elector.has_tokens;
  fill(scheduler);
  scheduler.make = {&design, [](const void* of, const SchedulerSetup& setup) -> std::unique_ptr<Scheduler> {
                      return std::make_unique<DesignScheduler<Host>>(*static_cast<const Design*>(of), setup);
                    }};
}

}  // namespace tenure::design
