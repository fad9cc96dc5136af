#include "sim/runner/fault_log.h"

#include <algorithm>

namespace tenure::sim {

void FaultLog::see(TrueTime now, const Record& record) {
  if (const auto* began = std::get_if<FaultBegan>(&record)) {
    FaultRun run;
    run.id = began->id;
    run.action = began->action;
    run.target = began->target;
    run.at = now;
    if (began->duration != Duration{} && began->duration != Duration::max()) run.duration = began->duration;
    run.detail = began->what;
    runs_.push_back(std::move(run));
  } else if (const auto* skipped = std::get_if<FaultSkipped>(&record)) {
    FaultRun run;
    run.id = skipped->id;
    run.at = now;
    run.skipped = skipped->why;
    for (const FaultSetting& fault : plan_)
      if (fault.id == skipped->id) run.action = fault.action;
    runs_.push_back(std::move(run));
  }
}

std::vector<FaultRun> FaultLog::take() const {
  std::vector<FaultRun> runs = runs_;
  for (const FaultSetting& fault : plan_) {
    const bool ran =
        std::any_of(runs_.begin(), runs_.end(), [&](const FaultRun& run) { return run.id == fault.id; });
    if (ran) continue;
    FaultRun run;
    run.id = fault.id;
    run.action = fault.action;
    run.skipped = "the event that it waits for did not happen often enough";
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace tenure::sim
