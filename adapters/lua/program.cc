#include "adapters/lua/program.h"

#include "adapters/design/hosted.h"
#include "adapters/lua/host.h"

namespace tenure::lua {

std::unique_ptr<Elector> make_elector(const Design& design, const ElectorSetup& setup) {
  return std::make_unique<design::DesignElector<Host>>(design, setup);
}

std::unique_ptr<Scheduler> make_scheduler(const Design& design, const SchedulerSetup& setup) {
  return std::make_unique<design::DesignScheduler<Host>>(design, setup);
}

std::unique_ptr<Node> make_node(const Design& design, const ElectorSetup& setup) {
  return std::make_unique<design::DesignNode<Host>>(design, setup);
}

}  // namespace tenure::lua
