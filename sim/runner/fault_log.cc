#include "sim/runner/fault_log.h"

#include <fmt/format.h>

namespace tenure::sim {

std::string name_of(const FaultRun& fault) {
  const std::string name = fmt::format("fault {}", fault.entry > 0 ? fault.entry : fault.id);
  return fault.strike > 0 ? fmt::format("{}, strike {}", name, fault.strike) : name;
}

void FaultLog::see(TrueTime now, const Record& record) {
  if (const auto* began = std::get_if<FaultBegan>(&record)) {
    FaultRun run = described(began->id, began->setting, began->strike);
    seen_.insert(began->setting != 0 ? began->setting : began->id);
    run.action = began->action;
    run.target = began->target;
    run.at = now;
    if (began->duration != Duration{} && began->duration != Duration::max()) run.duration = began->duration;
    run.detail = began->what;
    runs_.push_back(std::move(run));
  } else if (const auto* skipped = std::get_if<FaultSkipped>(&record)) {
    FaultRun run = described(skipped->id, skipped->setting, skipped->strike);
    seen_.insert(skipped->setting != 0 ? skipped->setting : skipped->id);
    run.at = now;
    run.skipped = skipped->why;
    runs_.push_back(std::move(run));
  }
}

FaultRun FaultLog::described(std::uint64_t id, std::uint64_t setting, std::uint64_t strike) const {
  FaultRun run;
  run.id = id;
  const FaultSetting* fault = by_id_.find(setting != 0 ? setting : id);
  if (fault == nullptr) return run;
  run.entry = fault->entry;
  run.strike = strike != 0 ? strike : fault->strike;
  run.action = fault->action;
  return run;
}

std::vector<FaultRun> FaultLog::take(const FaultEngine& engine) const {
  std::vector<FaultRun> runs = runs_;
  for (const FaultSetting& fault : plan_) {
    if (seen_.contains(fault.id)) continue;
    FaultRun run = described(fault.id, fault.id, 0);
    run.at = TrueTime::max();
    run.skipped = engine.why_not_yet(fault);
    runs.push_back(std::move(run));
  }
  for (FaultRun& run : runs)
    if (run.skipped.empty()) run.fell_short = engine.fell_short(run.id);
  return runs;
}

}  // namespace tenure::sim
