// A run's history as JSON lines: {"format":1,"tenure":"0.1.0",…} first, then one object a record.
//
// Every record has at_seconds (true time, from the start of the run) and kind. Most have text, and those of node,
// incarnation, store, fault … that apply. docs/scenarios.md lists the kinds.
//
// Thread rule: one writer belongs to one run.
#pragma once

#include <ostream>

#include "lab/session/json_writer.h"
#include "sim/checkers/names.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::lab {

inline constexpr int kTraceFormat = 1;

class TraceWriter final : public sim::Observer {
 public:
  // Writes the head at once. `out` must outlive the writer; check its state for errors when the run is over.
  TraceWriter(const sim::Scenario& scenario, std::uint64_t seed, std::ostream& out);
  std::uint32_t wants() const override { return ~std::uint32_t{0}; }
  void see(sim::TrueTime now, const sim::Record& record) override;

 private:
  sim::Names names_;
  std::ostream& out_;
};

// One record as a line, without its end. `names`: the names of the scenario's schedules.
std::string trace_line(sim::TrueTime now, const sim::Record& record, const sim::Names& names);

}  // namespace tenure::lab
