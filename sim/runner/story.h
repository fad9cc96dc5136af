// The story of a violation: who believed what, when, and which fault came between.
//
// A passing run keeps no story. When a checker finds a violation, the same run is made again, with the same history,
// and the teller notes what matters for the nodes that the violation names.
//
// Thread rule: one teller belongs to one run.
#pragma once

#include <deque>
#include <string>

#include "sim/checkers/checker.h"
#include "sim/runner/narrator.h"
#include "sim/runner/result.h"
#include "sim/world/record.h"

namespace tenure::sim {

class StoryTeller final : public Observer {
 public:
  StoryTeller(const Scenario& scenario, const Violation& violation);
  void see(TrueTime now, const Record& record) override;
  Story tell(const std::string& checker) const;

 private:
  void add(NarratedEvent told);
  bool concerns(const NarratedEvent& told) const;

  const Violation violation_;
  Narrator narrator_;
  std::deque<NarratedEvent> told_;
};

}  // namespace tenure::sim
