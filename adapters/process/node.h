// Lives of a program as an election, so that any scheduler runs on it; as a scheduler, on any election; or as both in
// one.
//
// Thread rule: as Node.
#pragma once

#include <memory>

#include "adapters/process/program.h"
#include "core/model/instance.h"

namespace tenure::process {

std::unique_ptr<Elector> make_elector(const Program& program, const ElectorSetup& setup);
std::unique_ptr<Scheduler> make_scheduler(const Program& program, const SchedulerSetup& setup);
std::unique_ptr<Node> make_node(const Program& program, const ElectorSetup& setup);

}  // namespace tenure::process
