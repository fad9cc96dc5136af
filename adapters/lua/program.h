// A design's process as a part of an instance: an elector for any scheduler, a scheduler on any elector, or, where one
// program is both, the whole node.
//
// Thread rule: as Node.
#pragma once

#include <memory>

#include "adapters/lua/design.h"
#include "core/model/instance.h"

namespace tenure::lua {

std::unique_ptr<Elector> make_elector(const Design& design, const ElectorSetup& setup);
std::unique_ptr<Scheduler> make_scheduler(const Design& design, const SchedulerSetup& setup);
std::unique_ptr<Node> make_node(const Design& design, const ElectorSetup& setup);

}  // namespace tenure::lua
