#include "sim/runner/fault_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenure::sim {

std::string name_of(const FaultRun& fault) {
  const std::string name = fmt::format("fault {}", fault.entry > 0 ? fault.entry : fault.id);
  return fault.strike > 0 ? fmt::format("{}, strike {}", name, fault.strike) : name;
}

void FaultLog::see(TrueTime now, const Record& record) {
  if (const auto* began = std::get_if<FaultBegan>(&record)) {
    FaultRun run = described(began->id);
    run.action = began->action;
    run.target = began->target;
    run.at = now;
    if (began->duration != Duration{} && began->duration != Duration::max()) run.duration = began->duration;
    run.detail = began->what;
    runs_.push_back(std::move(run));
  } else if (const auto* skipped = std::get_if<FaultSkipped>(&record)) {
    FaultRun run = described(skipped->id);
    run.at = now;
    run.skipped = skipped->why;
    runs_.push_back(std::move(run));
  }
}

FaultRun FaultLog::described(std::uint64_t id) const {
  FaultRun run;
  run.id = id;
  const auto fault =
      std::find_if(plan_.begin(), plan_.end(), [id](const FaultSetting& f) { return f.id == id; });
  if (fault == plan_.end()) return run;
  run.entry = fault->entry;
  run.strike = fault->strike;
  run.action = fault->action;
  return run;
}

std::vector<FaultRun> FaultLog::take() const {
  std::vector<FaultRun> runs = runs_;
  for (const FaultSetting& fault : plan_) {
    const bool ran =
        std::any_of(runs_.begin(), runs_.end(), [&](const FaultRun& run) { return run.id == fault.id; });
    if (ran) continue;
    FaultRun run = described(fault.id);
    run.at = TrueTime::max();
    run.skipped = "the event that it waits for did not happen often enough";
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace tenure::sim
