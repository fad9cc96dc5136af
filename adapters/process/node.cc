#include "adapters/process/node.h"

#include "adapters/design/hosted.h"
#include "adapters/process/host.h"

namespace tenure::process {

std::unique_ptr<Elector> make_elector(const Program& program, const ElectorSetup& setup) {
  return std::make_unique<design::DesignElector<ProgramHost>>(program, setup);
}

std::unique_ptr<Scheduler> make_scheduler(const Program& program, const SchedulerSetup& setup) {
  return std::make_unique<design::DesignScheduler<ProgramHost>>(program, setup);
}

std::unique_ptr<Node> make_node(const Program& program, const ElectorSetup& setup) {
  return std::make_unique<design::DesignNode<ProgramHost>>(program, setup);
}

}  // namespace tenure::process
