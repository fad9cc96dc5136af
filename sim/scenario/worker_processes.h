// The processes of a scenario's workers.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/scenario.h"

namespace tenure::sim {

// Of a [[worker]] or a process of that name there is none: faults mean all of them by that.
inline constexpr std::string_view kAllWorkers = "all";

struct WorkerProcess {
  std::string name;
  const WorkerSetting* setting = nullptr;

  // Whether a fault means this one by that.
  bool is_meant_by(std::string_view said) const {
    return said == kAllWorkers || said == name || said == setting->name;
  }
};

// In the order of the file. `settings` outlives the answer.
inline std::vector<WorkerProcess> worker_processes(const std::vector<WorkerSetting>& settings) {
  std::vector<WorkerProcess> processes;
  for (const WorkerSetting& setting : settings)
    for (std::int64_t i = 1; i <= setting.count; ++i)
      processes.push_back(
          {setting.count == 1 ? setting.name : setting.name + "-" + std::to_string(i), &setting});
  return processes;
}

}  // namespace tenure::sim
