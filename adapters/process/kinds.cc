#include "adapters/design/hosted.h"
#include "adapters/process/host.h"
#include "adapters/process/program.h"

namespace tenure::process {

void Program::make_kinds() {
  kind_ = description_.design.kind();
  kind_.writes = description_.writes;
  design::make_kinds<ProgramHost, &Program::complaints, &Program::edit>(
      *this, description_.design, file_, description_.validates, kind_, scheduler_);
  scheduler_.keeps_periods_only = true;  // the protocol has no rules
}

}  // namespace tenure::process
