// A life of a program as an elector, so that any scheduler runs on it: each input is a line to its process, and each
// answer is carried out in its order.
//
//   I1. Where a life has a twin, both are told the same, and must answer the same.
//   I2. A process that dies, or answers what is no answer, is an error of the design (DesignError) that names the step.
//       One that does not answer in time is none: this machine may be slow. It throws HostFailure.
//
// Thread rule: as Node.
#pragma once

#include <memory>

#include "adapters/process/program.h"
#include "core/model/instance.h"

namespace tenure::process {

std::unique_ptr<Elector> make_elector(const Program& program, const ElectorSetup& setup);

}  // namespace tenure::process
