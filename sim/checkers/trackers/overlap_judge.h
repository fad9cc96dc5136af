// Whether the store is right about slots that overlap, of versions whose events others deliver: it counts the
// schedule's events that are there, those of manual runs and of other versions included (docs/executions.md). The
// leader says of no such slot that it overlaps.
//
// Thread rule: one belongs to one reader.
#pragma once

#include <utility>
#include <vector>

#include "sim/checkers/oracle/row_rules.h"
#include "sim/checkers/trackers/execution_tracker.h"

namespace tenure::sim {

class OverlapJudge {
 public:
  // `rules` must outlive it.
  OverlapJudge(const Scenario& scenario, const EventRules& rules)
      : rules_(rules), events_(RoutedSchedules(scenario), rules) {}

  // Calls wrong(applied, row, why) for rows of a commit that overlap and should not, or the other way round.
  template <class Wrong>
  void see(const Record& record, Wrong&& wrong) {
    if (const auto* applied = std::get_if<Applied>(&record))
      for (const auto& [row, why] : judge(*applied)) wrong(*applied, row, why);
    events_.see(record);
  }

 private:
  std::vector<std::pair<reference::LedgerRow, WrongRow>> judge(const Applied& applied) const;

  const EventRules& rules_;
  ExecutionTracker events_;
};

}  // namespace tenure::sim
