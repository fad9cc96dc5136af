#include "adapters/process/node.h"

#include "adapters/process/host.h"
#include "core/base/check.h"

namespace tenure::process {
namespace {

using design::Role;

[[noreturn]] void refuse_copies() {
  CHECK(false, "processes are not copied or hashed: who copies or hashes nodes refuses designs");
}

class ProgramElector final : public Elector {
 public:
  ProgramElector(const Program& program, const ElectorSetup& setup)
      : host_(program, {Role::elector, setup.store, setup.resource, setup.parameters}) {}

  void step(const Input& input, Env& env) override { host_.step(input, env); }
  Leadership leadership(const Clock& clock) const override { return host_.leadership(clock); }
  std::unique_ptr<Elector> clone() const override { refuse_copies(); }
  void hash(Hasher&, const Canon&) const override { refuse_copies(); }

 private:
  ProgramHost host_;
};

class ProgramScheduler final : public Scheduler {
 public:
  ProgramScheduler(const Program& program, const SchedulerSetup& setup)
      : host_(program, {Role::scheduler, setup.store, setup.resource, setup.parameters, setup.schedules}) {}

  void step(const Input& input, const Leadership& leadership, Env& env) override {
    host_.hear(leadership);
    host_.step(input, env);
  }
  bool idle() const override { return host_.is_over(); }
  std::unique_ptr<Scheduler> clone() const override { refuse_copies(); }
  void hash(Hasher&, const Canon&) const override { refuse_copies(); }

 private:
  ProgramHost host_;
};

class ProgramNode final : public Node {
 public:
  ProgramNode(const Program& program, const ElectorSetup& setup)
      : host_(program, {Role::both, setup.store, setup.resource, setup.parameters, setup.schedules}) {}

  void step(const Input& input, Env& env) override { host_.step(input, env); }
  std::unique_ptr<Node> clone() const override { refuse_copies(); }
  void hash(Hasher&, const Canon&) const override { refuse_copies(); }

 private:
  ProgramHost host_;
};

}  // namespace

std::unique_ptr<Elector> make_elector(const Program& program, const ElectorSetup& setup) {
  return std::make_unique<ProgramElector>(program, setup);
}

std::unique_ptr<Scheduler> make_scheduler(const Program& program, const SchedulerSetup& setup) {
  return std::make_unique<ProgramScheduler>(program, setup);
}

std::unique_ptr<Node> make_node(const Program& program, const ElectorSetup& setup) {
  return std::make_unique<ProgramNode>(program, setup);
}

}  // namespace tenure::process
