#include "adapters/lua/program.h"

#include "adapters/lua/host.h"
#include "core/base/check.h"

namespace tenure::lua {
namespace {

[[noreturn]] void refuse_copies() {
  CHECK(false, "coroutines are not copied or hashed: who copies or hashes nodes refuses designs");
}

class LuaElector final : public Elector {
 public:
  LuaElector(const Design& design, const ElectorSetup& setup)
      : host_(design, {Role::elector, setup.store, setup.resource, setup.parameters}) {}

  void step(const Input& input, Env& env) override { host_.step(input, env); }
  Leadership leadership(const Clock& clock) const override { return host_.leadership(clock); }
  std::unique_ptr<Elector> clone() const override { refuse_copies(); }
  void hash(Hasher&, const Canon&) const override { refuse_copies(); }

 private:
  Host host_;
};

class LuaScheduler final : public Scheduler {
 public:
  LuaScheduler(const Design& design, const SchedulerSetup& setup)
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

class LuaNode final : public Node {
 public:
  LuaNode(const Design& design, const ElectorSetup& setup)
      : host_(design, {Role::both, setup.store, setup.resource, setup.parameters, setup.schedules}) {}

  void step(const Input& input, Env& env) override { host_.step(input, env); }
  std::unique_ptr<Node> clone() const override { refuse_copies(); }
  void hash(Hasher&, const Canon&) const override { refuse_copies(); }

 private:
  Host host_;
};

}  // namespace

std::unique_ptr<Elector> make_elector(const Design& design, const ElectorSetup& setup) {
  return std::make_unique<LuaElector>(design, setup);
}

std::unique_ptr<Scheduler> make_scheduler(const Design& design, const SchedulerSetup& setup) {
  return std::make_unique<LuaScheduler>(design, setup);
}

std::unique_ptr<Node> make_node(const Design& design, const ElectorSetup& setup) {
  return std::make_unique<LuaNode>(design, setup);
}

}  // namespace tenure::lua
